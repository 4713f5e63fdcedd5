import java.io.*;
FIRST
public class Bot {
  public static void main(String[] a) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    PrintWriter out = new PrintWriter(System.out);
    String line;
    while ((line = in.readLine()) != null) {
      if (line.startsWith("pwtp") || line.equals("end")) { READY; }
      else if (line.startsWith("go")) { GO; }
      else if (line.equals("quit")) return;
    }
  }
}

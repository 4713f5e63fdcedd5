#include <stdio.h>
#include <stdlib.h>
#include <string.h>
FIRST
int main(void) {
  static char line[65536];
  while (fgets(line, sizeof line, stdin)) {
    if (!strncmp(line, "pwtp", 4) || !strncmp(line, "end", 3)) { READY; }
    else if (!strncmp(line, "go", 2)) { GO; }
    else if (!strncmp(line, "quit", 4)) return 0;
  }
  return 0;
}

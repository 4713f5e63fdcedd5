"""A program that plays on its author's machine plays in the sandbox at the first try.

Each way to start one plays a whole game; a program that needs a file fails without it.
"""

import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.match.helpers import SHELL_BOT
from tests.needs import need_any_sandbox
from tests.program import pwtourney
from tests.thorough import thorough_but

SH = f"#!/bin/sh\nREAD\n{SHELL_BOT}"
JAVA = """
import java.io.*;
public class Wren {
  public static void main(String[] a) throws IOException {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    String action = "", line;
    while ((line = in.readLine()) != null) {
      String[] words = line.split(" ");
      if (words[0].equals("pwtp")) System.out.println(Egg.HELLO);
      else if (words[0].equals("end")) System.out.println("ready");
      else if (words[0].equals("legal")) action = words[1];
      else if (words[0].equals("go")) System.out.println("move " + action);
      else if (words[0].equals("quit")) return;
    }
  }
}
"""
EGG = (
    'class Egg { static final String HELLO = System.getProperty("nest", "feature legal\\nready"); }'
)
CPP = """
#include <fstream>
#include <iostream>
#include <sstream>
int main(int count, char **words) {
  if (count > 1 && !std::ifstream(std::string(words[1]) + "/egg")) return 4;
  std::string line, word, action;
  while (std::getline(std::cin, line)) {
    std::istringstream text(line);
    text >> word;
    if (word == "pwtp") std::cout << "feature legal\\nready" << std::endl;
    else if (word == "end") std::cout << "ready" << std::endl;
    else if (word == "legal") text >> action;
    else if (word == "go") std::cout << "move " << action << std::endl;
    else if (word == "quit") return 0;
  }
}
"""
NODE = """
const hello = require("egg");
let action = "";
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const [word, first] = line.split(" ");
  if (word === "pwtp") console.log(hello);
  else if (word === "end") console.log("ready");
  else if (word === "legal") action = first;
  else if (word === "go") console.log("move " + action);
  else if (word === "quit") process.exit();
});
"""
GO = """
package main
import ("bufio"; "fmt"; "os"; "strings")
func main() {
  in, action := bufio.NewReader(os.Stdin), ""
  for {
    line, err := in.ReadString('\\n')
    if err != nil { return }
    words := append(strings.Fields(line), "")
    switch words[0] {
    case "pwtp": fmt.Print("feature legal\\nready\\n")
    case "end": fmt.Println("ready")
    case "legal": action = words[1]
    case "go": fmt.Println("move " + action)
    case "quit": return
    }
  }
}
"""
CSHARP = """
using System;
class Wren {
  static void Main() {
    string action = "", line;
    while ((line = Console.ReadLine()) != null) {
      string[] words = line.Split(' ');
      if (words[0] == "pwtp") Console.WriteLine("feature legal\\n" + Egg.Hello);
      else if (words[0] == "end") Console.WriteLine("ready");
      else if (words[0] == "legal") action = words[1];
      else if (words[0] == "go") Console.WriteLine("move " + action);
      else if (words[0] == "quit") return;
    }
  }
}
"""
PERL = """
use Egg;
$| = 1;
while (<STDIN>) {
  my ($word, $first) = split;
  if ($word eq "pwtp") { print $Egg::hello; }
  elsif ($word eq "end") { print "ready\\n"; }
  elsif ($word eq "legal") { $action = $first; }
  elsif ($word eq "go") { print "move $action\\n"; }
  elsif ($word eq "quit") { exit; }
}
"""
PYTHON = """
import sys
import egg
for line in sys.stdin:
    word, *rest = line.split()
    if word == "pwtp":
        print(egg.hello, flush=True)
    elif word == "end":
        print("ready", flush=True)
    elif word == "legal":
        action = rest[0]
    elif word == "go":
        print("move", action, flush=True)
    elif word == "quit":
        break
"""
SHIM = "#!/bin/sh\nexit 127\n"


class Way(NamedTuple):
    """A way to start a program: its files, the commands that make it, and the bot's command.

    `tool` must be installed. The environment has `path` in front of the others on the PATH.
    """

    command: str
    files: dict[str, str]
    make: tuple[str, ...] = ()
    tool: str = "sh"
    path: str = ""


CLASSES = {"Wren.java": JAVA, "Egg.java": EGG}
WAYS = {
    "class path that is a folder": Way(
        "java -cp build Wren", CLASSES, ("javac -d build Wren.java Egg.java",), "javac"
    ),
    "class path of several places": Way(
        "java -cp lib/*:build:gone Wren",
        CLASSES,
        (
            "javac -d build Wren.java Egg.java",
            "mkdir lib",
            "jar cf lib/egg.jar -C build Egg.class",
            "rm build/Egg.class",
        ),
        "javac",
    ),
    "classes next to the file": Way(
        "java -cp . Wren", CLASSES, ("javac Wren.java Egg.java",), "javac"
    ),
    "jar": Way(
        "java -Xmx64m -jar wren.jar",
        CLASSES,
        ("javac Wren.java Egg.java", "jar cfe wren.jar Wren Wren.class Egg.class"),
        "javac",
    ),
    "C++": Way("./wren", {"wren.cpp": CPP}, ("c++ -o wren wren.cpp",), "c++"),
    "Go": Way("./wren", {"wren.go": GO}, ("go build -o wren wren.go",), "go"),
    "Mono with a library": Way(
        "mono wren.exe",
        {"Wren.cs": CSHARP, "Egg.cs": 'public class Egg { public static string Hello = "ready"; }'},
        ("mcs -target:library -out:Egg.dll Egg.cs", "mcs -r:Egg.dll -out:wren.exe Wren.cs"),
        "mono",
    ),
    "folder with data": Way(
        "./wren ./nest", {"wren.cpp": CPP, "nest/egg": "1"}, ("c++ -o wren wren.cpp",), "c++"
    ),
    "data as the value of an option": Way(
        "./wren --nest=data/nest",
        {
            "wren": SH.replace("READ", 'read -r egg < "${1#*=}/egg" || exit 4'),
            "data/nest/egg": "1\n",
        },
    ),
    "wrapper script": Way(
        "./wren",
        {"wren": '#!/bin/sh\nexec "$(dirname "$0")/engine/bird"\n', "engine/bird": SH},
    ),
    "prefix with bin and lib": Way(
        "opt/bin/wren",
        {
            "opt/bin/wren": SH.replace("READ", 'read -r egg < "${0%/*}/../lib/wren/egg" || exit 4'),
            "opt/lib/wren/egg": "1\n",
        },
    ),
    "shim of a version manager": Way(
        "wren loudly",
        {
            ".birdenv/shims/wren": SHIM,
            ".birdenv/libexec/birdenv": '#!/bin/sh\necho "${0%/*/*}/versions/1/bin/$2"\n',
            ".birdenv/versions/1/bin/wren": SH,
        },
        path=".birdenv/shims",
    ),
    "modules of node": Way(
        "node wren.js",
        {
            "wren.js": NODE,
            "node_modules/egg/index.js": 'module.exports = "feature legal\\nready";',
        },
        tool="node",
    ),
    "library of Perl": Way(
        "perl -I lib wren.pl",
        {
            "wren.pl": PERL,
            "lib/Egg.pm": 'package Egg; our $hello = "feature legal\\nready\\n"; 1;',
        },
        tool="perl",
    ),
    "virtual environment": Way(
        "venv/bin/python wren.py",
        {"wren.py": PYTHON, "package/egg.py": "hello = 'feature legal\\nready'\n"},
        (
            f"{sys.executable} -m venv --without-pip venv",
            "sh -c 'for at in venv/lib/python3*/site-packages; do cp package/egg.py $at; done'",
        ),
        sys.executable,
    ),
    "python of the PATH": Way(
        "python3 wren.py",
        {"wren.py": PYTHON, "egg.py": "hello = 'feature legal\\nready'\n"},
        tool="python3",
    ),
}
USUAL = ("shim of a version manager",)
"""The way of every run; the others are for CI."""


@pytest.mark.slow(3)
@pytest.mark.parametrize("name", thorough_but(USUAL, WAYS))
def test_program_plays_in_the_sandbox_at_the_first_try(
    name: str,
    tmp_path: Path,
    needs: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A whole game is played, and the bot has the name of the program."""
    way = WAYS[name]
    needs(way.tool)
    need_any_sandbox()
    for file, text in way.files.items():
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("READ\n", ""))
        path.chmod(0o755)
    for words in map(shlex.split, way.make):
        subprocess.run(words, cwd=tmp_path, check=True, timeout=60, capture_output=True)
    if way.path:
        monkeypatch.setenv("PATH", str(tmp_path / way.path), prepend=":")
    (tmp_path / "league.yaml").write_text(
        f"edition: express\npairs: 1\nworkers: 1\nclock: {{move: 5s}}\nsandbox: auto\n"
        f"bots:\n  - {{command: {way.command}, trusted: false}}\n  - random\n"
    )
    done = pwtourney("run", "league.yaml", "--results", "r", at=tmp_path, code=None)
    listed = pwtourney("games", "r", "--verdict", "finished", "--bot", "wren", at=tmp_path).stdout
    assert listed.startswith("2 games"), done.stderr

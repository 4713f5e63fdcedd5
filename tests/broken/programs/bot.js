FIRST
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const word = line.split(" ")[0];
  if (word === "pwtp" || word === "end") { READY; }
  else if (word === "go") { GO; }
  else if (word === "quit") process.exit();
});

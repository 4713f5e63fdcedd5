"use strict";
/* What the page knows of the games: facts as JSON, and a packed list of games with their plies. */
const Data = (() => {
  const read = (id) => JSON.parse(Dom.$(id).textContent);
  const unpack = async (id) => {
    const bytes = Uint8Array.from(atob(Dom.$(id).textContent), (each) => each.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).json();
  };
  const facts = read("facts");
  const data = { facts, list: [], replays: {} };

  data.load = async () => {
    const games = await unpack("packed");
    Object.assign(facts, read("facts"));
    Object.assign(data, games);
  };
  data.names = (row) => [facts.bots[row[2]], facts.bots[row[3]]];
  data.idOf = (row) => `${row[0]}.${row[1]}`;
  data.find = (id) => data.list.find((row) => data.idOf(row) === id);
  data.verdict = (row) => facts.verdicts[row[7]];
  /* The verdicts of the faults of a seat. */
  data.faults = (row, seat) => row.slice(9).filter((_, place, faults) => place % 2 === 1 && faults[place - 1] === seat)
    .map((verdict) => facts.verdicts[verdict]);
  data.result = (row) => {
    const winner = row[6] < 0 ? "nobody wins" : `${data.names(row)[row[6]]} wins`;
    return `${row[4]} to ${row[5]}, ${winner} (${data.verdict(row)})`;
  };
  return data;
})();

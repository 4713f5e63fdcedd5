/* What the page knows of the games: facts as JSON, and a packed list of games with their plies. */
import * as Dom from "../shared/dom.js";

const read = (id) => JSON.parse(Dom.$(id).textContent);
const unpack = async (id) => {
  const bytes = Uint8Array.from(atob(Dom.$(id).textContent), (each) => each.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
};
const facts = read("facts");
const games = { list: [], replays: {} };

const load = async () => {
  const unpacked = await unpack("packed");
  Object.assign(facts, read("facts"));
  Object.assign(games, unpacked);
};
const names = (row) => [facts.bots[row[2]], facts.bots[row[3]]];
const idOf = (row) => `${row[0]}.${row[1]}`;
const find = (id) => games.list.find((row) => idOf(row) === id);
const verdict = (row) => facts.verdicts[row[7]];
/* The verdicts of the faults of a seat. */
const faults = (row, seat) => row.slice(9).filter((_, place, all) => place % 2 === 1 && all[place - 1] === seat)
  .map((number) => facts.verdicts[number]);
const result = (row) => {
  const winner = row[6] < 0 ? "nobody wins" : `${names(row)[row[6]]} wins`;
  return `${row[4]} to ${row[5]}, ${winner} (${verdict(row)})`;
};

export { facts, games, load, names, idOf, find, verdict, faults, result };

/* What is analysed, and where in it one is, as the address says it; and what stays as long as the
   tab: texts of games, which are too long for an address, and branches. */

const MOST_KEPT = 40; // branches that come back when the page is loaded again

const keep = (key, text) => {
  try {
    sessionStorage.setItem(key, text);
  } catch { /* there is no room: it is as good as before until the page is left */ }
};

/* Keeps a text; returns its number, by which it is found again. */
const numberText = (text) => {
  for (let number = 1; ; number += 1) {
    const kept = sessionStorage.getItem(`analyse-text-${number}`);
    if (kept === null) keep(`analyse-text-${number}`, text);
    if (kept === null || kept === text) return number;
  }
};

const format = (source) => {
  const { text, ...rest } = source;
  if (text === undefined) return new URLSearchParams(rest);
  if (text.trim().startsWith("pwtourney-game")) return new URLSearchParams({ text: numberText(text) });
  return new URLSearchParams({ position: text.trim(), ...rest });
};

/* Returns what the address names; null for nothing. */
const read = () => {
  const { game, table, position, seed, edition = "original", text } = Object.fromEntries(new URLSearchParams(location.search));
  if (game !== undefined) return { game };
  if (table !== undefined) return { table };
  if (position !== undefined) return { text: position, edition };
  if (seed !== undefined) return { seed, edition };
  const kept = text === undefined ? null : sessionStorage.getItem(`analyse-text-${text}`);
  return kept === null ? null : { text: kept };
};

/* A node is named by the ply of the line that was opened, and by what was tried from there on. */
const formatPlace = (node) => {
  let fork = node;
  const line = [];
  while (!fork.main) { line.unshift(fork.action); fork = fork.parent; }
  const words = new URLSearchParams({ ply: fork.number });
  if (line.length) words.set("line", line.join(","));
  return `#${words}`;
};

const readPlace = () => {
  const words = new URLSearchParams(location.hash.slice(1));
  return [Number(words.get("ply")) || 0, (words.get("line") ?? "").split(",").filter(Boolean)];
};

const branchesKey = (source) => `analyse-branches?${format(source)}`;
const keepBranches = (source, lines) => keep(branchesKey(source), JSON.stringify(lines.slice(0, MOST_KEPT)));
const readBranches = (source) => JSON.parse(sessionStorage.getItem(branchesKey(source)) ?? "[]");

export { format, read, formatPlace, readPlace, keepBranches, readBranches };

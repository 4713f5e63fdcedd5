/* What is shown, in the fragment of the page's address, so that a link leads to the same:
   #game=12.0&ply=30&bot=magpie&verdict=timeout. A fragment without "=" names a section. */

const KEYS = ["game", "ply", "bot", "against", "result", "verdict", "columns"];
const isGiven = (value) => value !== undefined && value !== null && value !== "";

/* Returns the state that a fragment describes; null if it names a section. */
const parse = (fragment) => {
  const text = fragment.replace(/^#/, "");
  if (text && !text.includes("=")) return null;
  const words = new URLSearchParams(text);
  return Object.fromEntries(KEYS.map((key) => [key, words.get(key) ?? ""]));
};

const format = (state) => {
  const given = KEYS.filter((key) => isGiven(state[key]));
  return `#${new URLSearchParams(given.map((key) => [key, state[key]]))}`;
};

/* A step that one wants to take back becomes an entry of the browser's history. */
const write = (state, { step }) => {
  const fragment = format(state);
  if (fragment === (location.hash || "#")) return;
  history[step ? "pushState" : "replaceState"](null, "", fragment);
};

const read = () => parse(location.hash);

export { read, format, write };

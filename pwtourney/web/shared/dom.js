/* Elements: by id, and made. */

const $ = (id) => document.getElementById(id);
const make = (name, attributes = {}, text) => {
  const found = name.startsWith("svg:")
    ? document.createElementNS("http://www.w3.org/2000/svg", name.slice(4))
    : document.createElement(name);
  Object.entries(attributes).forEach(([key, value]) => found.setAttribute(key, value));
  if (text !== undefined) found.textContent = text;
  return found;
};
const addSpoken = (element, text) => element.append(make("span", { class: "spoken" }, text));
const dark = () => matchMedia("(prefers-color-scheme: dark)").matches;

export { $, make, addSpoken, dark };

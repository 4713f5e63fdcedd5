/* Drawings with a line per bot: the first bots are shown, and others by their names below. */

import * as Dom from "../shared/dom.js";

const { make } = Dom;
const chosen = new Map(); // what was chosen, for a drawing that is replaced by a newer one

const begin = (section) => section.querySelectorAll("figure[data-curves]").forEach((figure) => {
  const kept = chosen.get(figure.dataset.curves) ?? new Map();
  chosen.set(figure.dataset.curves, kept);
  const bots = [...figure.querySelectorAll(".legend li")].map((item, place) => {
    const curve = figure.querySelector(`g[data-curve="${place}"]`);
    const button = make("button", { type: "button" });
    const name = item.textContent;
    button.append(...item.childNodes);
    item.replaceChildren(button);
    const show = (on) => {
      kept.set(name, on);
      curve.classList.toggle("off", !on);
      button.setAttribute("aria-pressed", on);
    };
    const first = !item.classList.contains("off");
    item.classList.remove("off");
    show(kept.get(name) ?? first);
    button.addEventListener("click", () => show(button.getAttribute("aria-pressed") !== "true"));
    [["pointerenter", true], ["focus", true], ["pointerleave", false], ["blur", false]].forEach(
      ([event, strong]) => button.addEventListener(event, () => curve.classList.toggle("strong", strong)));
    return { show, first };
  });
  const tools = figure.querySelector(".curve-tools");
  if (!tools) return;
  tools.hidden = false;
  const wanted = { all: () => true, none: () => false, first: (bot) => bot.first };
  tools.querySelectorAll("button").forEach((button) =>
    button.addEventListener("click", () => bots.forEach((bot) => bot.show(wanted[button.value](bot)))));
});

export { begin };

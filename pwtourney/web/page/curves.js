/* Drawings with a line per bot: the first bots are shown; the legend shows and hides others. */
import { make, queryAll } from "../shared/dom.js";

/** @typedef {{ isFirst: boolean, show: (on: boolean) => void }} Curve */

/** The choices in each drawing, kept for the newer drawing that replaces it.
    @type {Map<string, Map<string, boolean>>} */
const chosen = new Map();

/** Which curves each of the tools shows.
    @type {Record<string, (curve: Curve) => boolean>} */
const WANTED = { all: () => true, none: () => false, first: (curve) => curve.isFirst };

/**
 * Make a button of a name in the legend, which shows and hides the curve of that bot.
 * @param {HTMLElement} figure
 * @param {HTMLElement} item
 * @param {number} index
 * @param {Map<string, boolean>} kept
 * @returns {Curve}
 */
function beginCurve(figure, item, index, kept) {
  const curve = figure.querySelector(`g[data-curve="${index}"]`);
  const name = item.textContent ?? "";
  const button = make("button", { type: "button" });
  button.append(...item.childNodes);
  item.replaceChildren(button);
  /** @param {boolean} on */
  const show = (on) => {
    kept.set(name, on);
    curve?.classList.toggle("off", !on);
    button.setAttribute("aria-pressed", String(on));
  };
  const isFirst = !item.classList.contains("off");
  item.classList.remove("off");
  show(kept.get(name) ?? isFirst);
  button.addEventListener("click", () => show(button.getAttribute("aria-pressed") !== "true"));
  ["pointerenter", "focus"].forEach((event) =>
    button.addEventListener(event, () => curve?.classList.add("strong")),
  );
  ["pointerleave", "blur"].forEach((event) =>
    button.addEventListener(event, () => curve?.classList.remove("strong")),
  );
  return { isFirst, show };
}

/** @param {HTMLElement} figure */
function beginFigure(figure) {
  const key = figure.dataset.curves ?? "";
  const kept = chosen.get(key) ?? new Map();
  chosen.set(key, kept);
  const curves = queryAll(figure, ".legend li").map((item, index) =>
    beginCurve(figure, item, index, kept),
  );
  queryAll(figure, ".curve-tools").forEach((tools) => {
    tools.hidden = false;
    tools.querySelectorAll("button").forEach((button) => {
      const isWanted = WANTED[button.value];
      button.addEventListener("click", () =>
        curves.forEach((curve) => curve.show(isWanted(curve))),
      );
    });
  });
}

/**
 * Set up the drawings of a page, or of a section that was replaced.
 * @param {ParentNode} section
 */
export function beginCurves(section) {
  queryAll(section, "figure[data-curves]").forEach(beginFigure);
}

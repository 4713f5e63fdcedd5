/* The drawing of a line with its branches. */
import { addSpoken, make, makeButton, query } from "../shared/dom.js";
import { listLine, seatOf } from "./lines.js";

/** @import { Grade, LineNode } from "../types.d.ts" */
/** @typedef {(node: LineNode) => void} Go */

/** The mark of each grade.
    @type {Record<Grade, string>} */
export const MARKS = { "": "", inaccuracy: "?!", mistake: "?", blunder: "??" };

/**
 * @param {LineNode} node
 * @param {LineNode} current
 * @param {Go} go
 */
function drawPly(node, current, go) {
  const isHere = node === current;
  const seat = seatOf(node);
  const attributes = { class: `ply seat-${seat}`, tabindex: isHere ? 0 : -1 };
  const button = makeButton("", () => go(node), attributes);
  button.append(
    make("span", { class: "number" }, node.number),
    make("span", { class: "seat" }, "AB"[seat]),
    make("span", { class: "action" }, node.action),
  );
  if (node.grade) {
    const points = `${(node.swing ?? 0).toFixed(1)} points`;
    const grade = { class: `grade ${node.grade}`, title: `${node.grade}: ${points}` };
    button.append(make("span", grade, MARKS[node.grade]));
    addSpoken(button, `, ${node.grade}, ${points}`);
  }
  if (isHere) button.setAttribute("aria-current", "step");
  return button;
}

/**
 * Draw a line with its branches, each below the ply that it replaces.
 * @param {LineNode} first
 * @param {LineNode} current
 * @param {Go} go
 * @returns {HTMLOListElement}
 */
function drawLine(first, current, go) {
  const items = listLine(first).map((node) => {
    const item = make("li");
    item.append(drawPly(node, current, go));
    const siblings = node.parent?.children ?? [];
    const branches = siblings[0] === node ? siblings.slice(1) : [];
    branches.forEach((branch, place) => {
      const label = `branch ${place + 1} instead of ply ${node.number}`;
      const box = make("div", { class: "branch", role: "group", "aria-label": label });
      box.append(drawLine(branch, current, go));
      item.append(box);
    });
    return item;
  });
  const list = make("ol", { class: "line" });
  list.append(...items);
  return list;
}

/**
 * Scroll a list to make an element visible, without scrolling the page.
 * @param {HTMLElement} box
 * @param {HTMLElement} shown
 */
function scrollWithin(box, shown) {
  const isAbove = shown.offsetTop < box.scrollTop;
  const isBelow = shown.offsetTop + shown.offsetHeight > box.scrollTop + box.clientHeight;
  if (isAbove || isBelow) box.scrollTo({ top: shown.offsetTop - box.clientHeight / 2 });
}

/**
 * Draw all lines into a box; a click on a ply calls `go` with its node.
 * @param {HTMLElement} box
 * @param {LineNode} root
 * @param {LineNode} current
 * @param {Go} go
 */
export function drawTree(box, root, current, go) {
  const isHere = current === root;
  const attributes = { class: "ply", tabindex: isHere ? 0 : -1 };
  const start = makeButton("start", () => go(root), attributes);
  if (isHere) start.setAttribute("aria-current", "step");
  const [first] = root.children;
  const hadFocus = box.contains(document.activeElement);
  box.replaceChildren(start, ...(first ? [drawLine(first, current, go)] : []));
  const shown = query(box, "[aria-current]");
  if (hadFocus) shown.focus({ preventScroll: true });
  scrollWithin(box, shown);
}

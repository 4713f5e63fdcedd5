/* The list of the moves of a line with its branches: pictures, what a bot expects, and marks. */
import { MARKS } from "../game/curve.js";
import { countGain, drawSketch, sketchMove } from "../game/sketch.js";
import { addSpoken, make, makeButton, query } from "../shared/dom.js";
import { formatPoints, tellLead } from "../shared/gauges.js";
import { findValue, listLine, seatOf } from "./lines.js";

/** @import { LineNode } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */
/** @typedef {(node: LineNode) => void} Go */
/**
 * @typedef {{ boards: Boards, names: string[], current: LineNode, valuer: string, go: Go }} Drawing
 *   `valuer` is the name of the bot whose values are shown
 */

/**
 * Append the mark of a graded ply to a button.
 * @param {HTMLElement} button
 * @param {LineNode} node
 */
function addGrade(button, { grade, swing }) {
  if (!grade) return;
  const points = `${(swing ?? 0).toFixed(1)} points`;
  const attributes = { class: `grade ${grade}`, title: `${grade}: ${points}` };
  button.append(make("span", attributes, MARKS[grade]));
  addSpoken(button, `, ${grade}, ${points}`);
}

/**
 * Write a margin in the colour of who is ahead, and in words what it means.
 * @param {number | null} margin of the first seat
 * @param {string[]} names
 */
function drawValue(margin, names) {
  if (margin === null) return make("span", { class: "value" });
  const words = tellLead(names, margin);
  const kind = margin ? ` seat-${margin > 0 ? 0 : 1}` : "";
  const value = make("span", { class: `value${kind}`, title: words });
  value.append(make("span", { "aria-hidden": "true" }, formatPoints(margin)));
  addSpoken(value, `, ${words}`);
  return value;
}

/**
 * @param {LineNode} node
 * @param {Drawing} drawing
 */
function drawPly(node, { boards, names, current, valuer, go }) {
  const isHere = node === current;
  const attributes = {
    class: `ply seat-${seatOf(node)}`,
    tabindex: isHere ? 0 : -1,
    title: node.action,
    "data-action": node.action,
  };
  const button = makeButton("", () => go(node), attributes);
  const before = node.parent?.point.position;
  const gained = before ? countGain(before, node.point.position) : undefined;
  const [picture, words] = sketchMove(node.action, gained);
  const cloth = make("span", { class: "sketch" });
  cloth.append(drawSketch(boards, picture));
  button.append(
    make("span", { class: "number" }, node.number),
    boards.icons.token(seatOf(node)),
    cloth,
    make("span", { class: "action" }, words),
  );
  addGrade(button, node);
  button.append(drawValue(findValue(node, valuer), names));
  if (isHere) button.setAttribute("aria-current", "step");
  return button;
}

/**
 * Draw a line with its branches, each below the ply that it replaces.
 * @param {LineNode} first
 * @param {Drawing} drawing
 * @returns {HTMLOListElement}
 */
function drawLine(first, drawing) {
  const items = listLine(first).map((node) => {
    const item = make("li");
    item.append(drawPly(node, drawing));
    const siblings = node.parent?.children ?? [];
    const branches = siblings[0] === node ? siblings.slice(1) : [];
    branches.forEach((branch, index) => {
      const label = `branch ${index + 1} instead of ply ${node.number}`;
      const box = make("div", { class: "branch", role: "group", "aria-label": label });
      box.append(drawLine(branch, drawing));
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
 * @param {Drawing} drawing
 */
export function drawTree(box, root, drawing) {
  const { current, go } = drawing;
  const isHere = current === root;
  const attributes = { class: "ply", tabindex: isHere ? 0 : -1 };
  const start = makeButton("start", () => go(root), attributes);
  if (isHere) start.setAttribute("aria-current", "step");
  const [first] = root.children;
  const hadFocus = box.contains(document.activeElement);
  const scrolled = box.scrollTop;
  box.replaceChildren(start, ...(first ? [drawLine(first, drawing)] : []));
  Object.assign(box, { scrollTop: scrolled });
  if (hadFocus) query(box, "[aria-current]").focus({ preventScroll: true });
  showCurrent(box);
}

/**
 * Scroll the list to the ply that is shown, if it is out of sight.
 * @param {HTMLElement} box
 */
export function showCurrent(box) {
  const shown = box.querySelector("[aria-current]");
  if (shown instanceof HTMLElement) scrollWithin(box, shown);
}

/* The line of a game, and the branches that leave it: a tree of positions that can be walked.

   A node is a position, with the action that led there and what the server says of it (`point`).
   The first child of a node continues its line, the others begin branches. */

import * as Dom from "../shared/dom.js";

const { make } = Dom;
const MARKS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

const makeNode = (parent, action, point) => ({
  parent, action, point, children: [], grade: "", swing: null, number: parent ? parent.number + 1 : 0,
  main: !parent,
});

const create = (points, plies) => {
  const root = makeNode(null, "", points[0]);
  let node = root;
  plies.forEach((ply, place) => {
    const next = makeNode(node, ply.action, points[place + 1]);
    Object.assign(next, { main: true, ply });
    node.children.push(next);
    node = next;
  });
  return root;
};

const find = (parent, action) => parent.children.find((child) => child.action === action);
const add = (parent, action, point) => {
  const known = find(parent, action);
  if (known) return known;
  const node = makeNode(parent, action, point);
  parent.children.push(node);
  return node;
};
const remove = (node) => node.parent.children.splice(node.parent.children.indexOf(node), 1);

const path = (node) => (node.parent ? [...path(node.parent), node.action] : []);
const next = (node) => node.children[0] ?? null;
const end = (node) => { let last = node; while (next(last)) last = next(last); return last; };
const seatOf = (node) => node.parent.point.position.toMove;
/* The first node of the branch that a node belongs to; null on the line that was opened, but not
   on what was tried from its end. */
const branchOf = (node) => {
  let first = node;
  while (!first.main && !first.parent.main && first.parent.children[0] === first) first = first.parent;
  return first.main ? null : first;
};
const sibling = (node, step) => {
  if (!node.parent) return null;
  const all = node.parent.children;
  return all[all.indexOf(node) + step] ?? null;
};

const list = (node) => { // its line, from here on
  const found = [];
  for (let each = node; each; each = next(each)) found.push(each);
  return found;
};

/* The ends of all branches, each as the actions that lead there. */
const listBranches = (node) => {
  if (!node.children.length) return node.main ? [] : [path(node)];
  return node.children.flatMap(listBranches);
};

const nameAction = (action) => action.startsWith("card:") ? action.split(":").slice(0, 3).join(":") : action;

const drawPly = (node, current, go) => {
  const here = node === current;
  const button = make("button", { type: "button", class: `ply seat-${seatOf(node)}`, tabindex: here ? 0 : -1 });
  button.append(make("span", { class: "number" }, `${node.number}`), make("span", { class: "seat" }, "AB"[seatOf(node)]),
    make("span", { class: "action" }, nameAction(node.action)));
  if (node.grade) {
    button.append(make("span", { class: `grade ${node.grade}`, title: `${node.grade}: ${node.swing.toFixed(1)} points` }, MARKS[node.grade]));
    Dom.addSpoken(button, `, ${node.grade}, ${node.swing.toFixed(1)} points`);
  }
  if (here) button.setAttribute("aria-current", "step");
  button.addEventListener("click", () => go(node));
  return button;
};

/* A line with its branches, each below the ply that it is tried instead of. */
const drawLine = (first, current, go) => {
  const items = make("ol", { class: "line" });
  list(first).forEach((node) => {
    const item = make("li");
    item.append(drawPly(node, current, go));
    if (node.parent.children[0] === node) {
      node.parent.children.slice(1).forEach((branch, place) => {
        const box = make("div", { class: "branch", role: "group", "aria-label": `branch ${place + 1} instead of ply ${node.number}` });
        box.append(drawLine(branch, current, go));
        item.append(box);
      });
    }
    items.append(item);
  });
  return items;
};

const draw = (box, root, current, go) => {
  const start = make("button", { type: "button", class: "ply", tabindex: current === root ? 0 : -1 }, "start");
  if (current === root) start.setAttribute("aria-current", "step");
  start.addEventListener("click", () => go(root));
  const parts = [start];
  if (next(root)) parts.push(drawLine(next(root), current, go));
  const had = box.contains(document.activeElement);
  box.replaceChildren(...parts);
  const shown = box.querySelector("[aria-current]");
  if (had) shown.focus({ preventScroll: true });
  // only the list itself: the page stays where it is
  const outside = shown.offsetTop < box.scrollTop || shown.offsetTop + shown.offsetHeight > box.scrollTop + box.clientHeight;
  if (outside) box.scrollTop = shown.offsetTop - box.clientHeight / 2;
};

export { MARKS, create, add, find, remove, path, next, end, seatOf, branchOf, sibling, list, listBranches, nameAction, draw };

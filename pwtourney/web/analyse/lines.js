/* The line of a game with its branches, as a tree of positions.

   The first child of a node continues its line; the others begin branches. */

/** @import { LineNode, Point, StudyPly } from "../types.d.ts" */

/**
 * @param {LineNode | null} parent
 * @param {string} action
 * @param {Point} point
 * @returns {LineNode}
 */
function makeNode(parent, action, point) {
  return {
    parent,
    action,
    point,
    children: [],
    grade: "",
    swing: null,
    better: "",
    grader: "",
    margin: null,
    evaluator: "",
    margins: {},
    number: parent ? parent.number + 1 : 0,
    main: !parent,
  };
}

/**
 * Return the first node of the line of positions and plies that was opened.
 * @param {Point[]} points
 * @param {StudyPly[]} plies
 */
export function growLine(points, plies) {
  const root = makeNode(null, "", points[0]);
  let node = root;
  plies.forEach((ply, index) => {
    const next = makeNode(node, ply.action, points[index + 1]);
    next.main = true;
    node.children.push(next);
    node = next;
  });
  return root;
}

/**
 * Return the node to which an action leads, if it is known.
 * @param {LineNode} parent
 * @param {string} action
 */
export function findChild(parent, action) {
  return parent.children.find((child) => child.action === action);
}

/**
 * Return the node to which an action leads; add it if it is missing.
 * @param {LineNode} parent
 * @param {string} action
 * @param {Point} point
 */
export function addChild(parent, action, point) {
  const known = findChild(parent, action);
  if (known) return known;
  const node = makeNode(parent, action, point);
  parent.children.push(node);
  return node;
}

/**
 * Follow actions as far as the tree has them; return the last node and the remaining actions.
 * @param {LineNode} node
 * @param {string[]} actions
 * @returns {[node: LineNode, rest: string[]]}
 */
export function walkKnown(node, actions) {
  const child = actions.length ? findChild(node, actions[0]) : undefined;
  return child ? walkKnown(child, actions.slice(1)) : [node, actions];
}

/**
 * Remove a node and all that follows it.
 * @param {LineNode} node
 */
export function removeNode(node) {
  const siblings = node.parent?.children ?? [];
  siblings.splice(siblings.indexOf(node), 1);
}

/**
 * Return the nodes from the root to a node.
 * @param {LineNode} node
 * @returns {LineNode[]}
 */
export function listAncestors(node) {
  return node.parent ? [...listAncestors(node.parent), node] : [node];
}

/**
 * Return the actions that lead from the root to a node.
 * @param {LineNode} node
 */
export function listActions(node) {
  return listAncestors(node)
    .slice(1)
    .map(({ action }) => action);
}

/**
 * Return the nodes of a line, beginning at a node.
 * @param {LineNode} node
 * @returns {LineNode[]}
 */
export function listLine(node) {
  const line = [node];
  for (let next = node.children[0]; next; next = next.children[0]) line.push(next);
  return line;
}

/**
 * Return the last node of the line of a node.
 * @param {LineNode} node
 */
export function findEnd(node) {
  const line = listLine(node);
  return line[line.length - 1];
}

/**
 * Return the seat that played the action that leads to a node.
 * @param {LineNode} node
 */
export function seatOf({ parent }) {
  return parent?.point.position.toMove ?? 0;
}

/**
 * Return the last node on the way to a node that belongs to the opened line.
 * @param {LineNode} node
 */
export function findFork(node) {
  return listAncestors(node).findLast(({ main }) => main) ?? node;
}

/**
 * Return the first node of the branch of a node; null if the node is on the opened line. Actions
 * that were tried from the end of that line are a branch.
 * @param {LineNode} node
 * @returns {LineNode | null}
 */
export function findBranch(node) {
  const { parent } = node;
  if (node.main || !parent) return null;
  const isFirst = parent.main || parent.children[0] !== node;
  return isFirst ? node : findBranch(parent);
}

/**
 * Return the alternative to a node that is `step` siblings after it; null if there is none.
 * @param {LineNode | null} node
 * @param {number} step
 */
export function findSibling(node, step) {
  const siblings = node?.parent?.children ?? [];
  const index = siblings.findIndex((sibling) => sibling === node);
  return index < 0 ? null : (siblings[index + step] ?? null);
}

/**
 * Return all branches, each as the actions from the root to its end.
 * @param {LineNode} node
 * @returns {string[][]}
 */
export function listBranches(node) {
  if (node.children.length) return node.children.flatMap(listBranches);
  return node.main ? [] : [listActions(node)];
}

/**
 * Return the margin that one bot expects after the action of a node; null if it has said none. The
 * result of an evaluated game belongs to all bots.
 * @param {LineNode} node
 * @param {string} valuer the name of the bot with its limit
 */
export function findValue({ margin, evaluator, margins }, valuer) {
  if (evaluator === valuer || evaluator === "result") return margin;
  return margins[valuer] ?? null;
}

/* What pages remember in the browser: in the tab, over a reload, or in all of its tabs. A browser may
   forbid that, or have no room left; pages work without it, and forget. */

/** @typedef {"tab" | "browser"} Where */

/** @param {Where} where */
function findStorage(where) {
  return where === "tab" ? sessionStorage : localStorage;
}

/**
 * Return a remembered text; null for none.
 * @param {Where} where
 * @param {string} key
 */
export function recall(where, key) {
  try {
    return findStorage(where).getItem(key);
  } catch {
    return null; // the browser forbids it
  }
}

/**
 * Return remembered data, whose shape nobody has checked; null for none.
 * @param {Where} where
 * @param {string} key
 * @returns {unknown}
 */
export function recallData(where, key) {
  try {
    return JSON.parse(recall(where, key) ?? "null");
  } catch {
    return null; // something else has written it
  }
}

/**
 * Remember a text, if the browser can.
 * @param {Where} where
 * @param {string} key
 * @param {string} text
 */
export function remember(where, key, text) {
  try {
    findStorage(where).setItem(key, text);
  } catch {
    // it is forbidden, or there is no room
  }
}

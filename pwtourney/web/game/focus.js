/* Keep the focus on a page that redraws itself: an element that is redrawn or disabled loses the
   focus, and gets it back when it is available again. */

/**
 * Return a selector that finds an element again after it was redrawn; empty if there is none.
 * @param {Element} root
 * @param {Element} element
 */
function nameElement(root, element) {
  if (!root.contains(element) || !(element instanceof HTMLElement)) return "";
  if (element.matches(".field")) return ".mine .field";
  if (element.dataset.card) return `[data-card="${element.dataset.card}"]`;
  if (element.id) return `[id="${element.id}"]:not(:disabled)`;
  return element instanceof HTMLAnchorElement ? `a[href="${element.getAttribute("href")}"]` : "";
}

/**
 * Return functions that keep and restore the focus within an element. `findUsual` returns the
 * element to focus if the last focused one no longer exists; null for none.
 * @param {Element} root
 * @param {() => HTMLElement | null} findUsual
 */
export function guardFocus(root, findUsual) {
  let selector = ""; // of the last focused element; empty if it was not in `root`

  /** Only for keyboard users: after a click, the clicked element would receive keys that are meant
      for the table. */
  const keep = () => {
    const { activeElement } = document;
    if (!activeElement || activeElement === document.body) return;
    selector = activeElement.matches(":focus-visible") ? nameElement(root, activeElement) : "";
  };

  const restore = () => {
    if (!selector || document.activeElement !== document.body) return;
    const element = root.querySelector(selector) ?? findUsual();
    if (element instanceof HTMLElement) element.focus({ preventScroll: true });
  };

  document.addEventListener("pointerdown", () => {
    selector = "";
  });
  return { keep, restore };
}

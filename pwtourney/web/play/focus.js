/* The focus of a page that draws itself again: what is drawn again, or cannot be pressed for now,
   loses it, and gets it back when it is there again. */

/**
 * Return a selector that finds an element again after it was drawn again; empty if nothing does.
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
 * Return what keeps and restores the focus within an element. `findUsual` finds what gets the focus
 * where there is no more what had it; null for nothing.
 * @param {Element} root
 * @param {() => HTMLElement | null} findUsual
 */
export function guardFocus(root, findUsual) {
  let selector = ""; // of what had the focus last; empty for what was not in `root`

  /** Only for those who use keys: what somebody has clicked would wait for a key that they mean for
      something else. */
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

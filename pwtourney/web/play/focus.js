/* The focus of a page that draws itself again: what is drawn again, or cannot be pressed for now,
   loses it, and gets it back when it is there again. */

/* `findUsual` finds what gets the focus where there is no more what had it; null for nothing. */
const of = (root, findUsual) => {
  let selector = ""; // of what had the focus last; empty for what was not in `root`

  const name = (element) => {
    if (!root.contains(element)) return "";
    if (element.matches(".field")) return ".mine .field";
    if (element.dataset.card) return `[data-card="${element.dataset.card}"]`;
    if (element.id) return `[id="${element.id}"]:not(:disabled)`;
    return element.href ? `a[href="${element.getAttribute("href")}"]` : "";
  };

  /* Only for those who use keys: what somebody has clicked would wait for a key that they mean
     for something else. */
  const keep = () => {
    const { activeElement } = document;
    if (activeElement !== document.body) selector = activeElement.matches(":focus-visible") ? name(activeElement) : "";
  };

  const restore = () => {
    if (!selector || document.activeElement !== document.body) return;
    (root.querySelector(selector) ?? findUsual())?.focus({ preventScroll: true });
  };

  document.addEventListener("pointerdown", () => { selector = ""; });
  return { keep, restore };
};

export { of };

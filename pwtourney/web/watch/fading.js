/* Fade the ends of a strip at which it goes on: a picture that is cut there would look whole. */

/**
 * Mark the ends at which a strip goes on, whenever it is scrolled or its size changes. Return a
 * function that does so after its content has changed.
 * @param {HTMLElement} strip
 */
export function markEnds(strip) {
  const mark = () => {
    const { scrollLeft, clientWidth, scrollWidth } = strip;
    strip.classList.toggle("more-before", scrollLeft > 1);
    strip.classList.toggle("more-after", scrollLeft + clientWidth < scrollWidth - 1);
  };
  strip.addEventListener("scroll", mark, { passive: true });
  new ResizeObserver(mark).observe(strip);
  return mark;
}

"""How large texts and targets of a page are: 12 pixels to be read, 44 to be touched."""

from typing import Any

__all__ = ["PHONE", "SMALL_TARGETS", "SMALL_TEXTS"]

PHONE: dict[str, Any] = {"has_touch": True, "is_mobile": True, "device_scale_factor": 2}
"""What makes the window of a test that of a phone, besides its size."""

SMALL_TEXTS = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const small = new Set();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim()) continue;
    if (element.closest(".spoken, .picture, title, script")) continue;
    range.selectNodeContents(node);
    if (!range.getBoundingClientRect().width) continue;
    const scale = element.getScreenCTM?.()?.a ?? 1;
    const size = parseFloat(getComputedStyle(element).fontSize) * scale;
    if (size < 11.95) small.add(`${size.toFixed(1)}: ${node.textContent.slice(0, 40)}`);
  }
  return [...small];
}"""
"""Finds texts that are smaller than 12 pixels, except by rounding.

The pictures of the first page are decoration: their signs tell nothing.
"""

SMALL_TARGETS = """() => {
  const isInSentence = (target) => {
    if (!target.matches("a") || getComputedStyle(target).display !== "inline") return false;
    let block = target.parentElement;
    while (getComputedStyle(block).display === "inline") block = block.parentElement;
    const rest = block.cloneNode(true);
    rest.querySelectorAll("a, button, .spoken").forEach((part) => part.remove());
    return /[\\p{L}\\p{N}]/u.test(rest.textContent);
  };
  const findArea = (target) => {
    if (target.matches("[type=checkbox], [type=radio]")) return target.closest("label") ?? target;
    const isCovered = getComputedStyle(target, "::after").position === "absolute";
    return (isCovered && target.offsetParent) || target; // what is hidden has none
  };
  const targets = "a[href], button, summary, select, textarea, input, [role=button]";
  return [...document.querySelectorAll(targets)].flatMap((target) => {
    const { width, height, right } = findArea(target).getBoundingClientRect();
    if (!width || right < 0 || Math.min(width, height) > 43.9 || isInSentence(target)) return [];
    return [`${width.toFixed(1)} x ${height.toFixed(1)}: ${target.outerHTML.slice(0, 90)}`];
  });
}"""
"""Finds what can be touched and is smaller than 44 pixels, except by rounding.

The label of a box to tick belongs to its target, and so does what an absolutely placed `::after`
makes of a link. A link within a sentence is exempt, as in success criterion 2.5.8 of WCAG 2.2: the
line of its text limits its size. So is the link that only the keyboard brings into the window.
"""

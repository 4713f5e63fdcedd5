/* The theme of all pages: that of the system, light, or dark. The browser keeps the choice. */
import { $, isDark } from "./dom.js";

/** @typedef {"system" | "light" | "dark"} Theme */

const KEY = "pwtourney-theme";

/** The themes in the order in which the button goes through them.
    @type {Theme[]} */
const THEMES = ["system", "light", "dark"];

/**
 * Return the theme that a stored word means: that of the system for an unknown word.
 * @param {string | null} word
 * @returns {Theme}
 */
export function parseTheme(word) {
  return THEMES.find((theme) => theme === word) ?? "system";
}

/**
 * Return the theme after another one.
 * @param {Theme} theme
 * @returns {Theme}
 */
export function nextTheme(theme) {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
}

/** Return the theme that the reader has chosen. */
function readTheme() {
  try {
    return parseTheme(localStorage.getItem(KEY));
  } catch {
    return "system"; // a browser may forbid pages to keep anything
  }
}

/** @param {Theme} theme */
function keepTheme(theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // then the choice holds for this page only
  }
}

/**
 * Use a theme, by default the one that the reader has chosen. Drawings follow the event.
 * @param {Theme} [theme]
 */
export function applyTheme(theme = readTheme()) {
  const { dataset } = document.documentElement;
  const wasDark = isDark();
  if (theme === "system") delete dataset.theme;
  else dataset.theme = theme;
  if (isDark() !== wasDark) document.dispatchEvent(new Event("themechange"));
}

/** Let the button change the theme, and follow a change in another tab. */
export function beginThemeSwitch() {
  let theme = readTheme();
  const button = $("theme");
  const show = () => {
    const words = `Theme: ${theme}. Change it to ${nextTheme(theme)}`;
    button.dataset.shown = theme;
    button.title = words;
    button.setAttribute("aria-label", words);
    applyTheme(theme);
  };
  button.addEventListener("click", () => {
    theme = nextTheme(theme);
    keepTheme(theme);
    show();
  });
  addEventListener("storage", ({ key, newValue }) => {
    if (key !== KEY) return;
    theme = parseTheme(newValue);
    show();
  });
  show();
  button.hidden = false;
}

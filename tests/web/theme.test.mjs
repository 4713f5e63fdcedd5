/* The theme of all pages. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { nextTheme, parseTheme } from "../../pwtourney/web/shared/theme.js";

test("a browser without a choice has the theme of the system", () => {
  assert.equal(parseTheme(null), "system");
  assert.equal(parseTheme("purple"), "system");
  assert.equal(parseTheme("dark"), "dark");
});

test("the button goes through all themes and begins again", () => {
  assert.equal(nextTheme("system"), "light");
  assert.equal(nextTheme("light"), "dark");
  assert.equal(nextTheme("dark"), "system");
});

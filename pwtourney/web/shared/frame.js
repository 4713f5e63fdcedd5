/* What every page has: the theme, which must be set before anything is drawn, so this script is in
   the head; the button that changes it; and the link that skips the navigation. */
import { $, queryAll } from "./dom.js";
import { applyTheme, beginThemeSwitch } from "./theme.js";

/* Move the focus to the content without a change of the address, whose fragment is the state of a
   page. */
function beginSkipLink() {
  queryAll(document, ".skip").forEach((link) => {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      $("main").focus({ preventScroll: true });
      $("main").scrollIntoView();
    });
  });
}

applyTheme();
document.addEventListener("DOMContentLoaded", () => {
  beginThemeSwitch();
  beginSkipLink();
});

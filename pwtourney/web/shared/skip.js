/* Move the focus to the content with the skip link, without a change of the address, whose fragment
   is the state of a page. */
import { $, query } from "./dom.js";

query(document, ".skip").addEventListener("click", (event) => {
  event.preventDefault();
  $("main").focus({ preventScroll: true });
  $("main").scrollIntoView();
});

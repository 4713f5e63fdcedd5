/* The link to the content moves the focus and nothing else: addresses of pages say what they show. */
import { $, query } from "./dom.js";

query(document, ".skip").addEventListener("click", (event) => {
  event.preventDefault();
  $("main").focus({ preventScroll: true });
  $("main").scrollIntoView();
});

/* The first page: its pictures, the boards of games to continue, and the list of tournaments, which
   is asked for again from time to time. */
import { beginOpponents } from "../play/opponents.js";
import { drawThumbnails } from "../play/thumbnails.js";
import { $, markReady, onColourChange, queryAll, refresh, readFacts } from "../shared/dom.js";
import { drawInvitation } from "./pictures.js";

/** @import { Thumbnails } from "../types.d.ts" */

const MILLISECONDS = 5000; // between two looks at the tournaments

/** @type {Thumbnails} */
const facts = readFacts();

let shown = ""; // the list of tournaments as it came last

function drawAll() {
  queryAll(document, "[data-picture]").forEach((box) => {
    box.replaceChildren(drawInvitation(box.dataset.picture ?? ""));
  });
  drawThumbnails(facts);
}

/** Ask for the list of tournaments, and show it if it has changed. */
async function update() {
  const answer = await fetch("/tournaments");
  const text = await answer.text();
  if (!answer.ok || text === shown) return;
  shown = text;
  const fresh = new DOMParser().parseFromString(text, "text/html").body;
  if (fresh.innerHTML.trim() === $("tournaments").innerHTML.trim()) return; // as the page came
  refresh($("tournaments"), ...fresh.childNodes);
}

async function follow() {
  try {
    if (!document.hidden) await update();
  } catch {
    // the server does not answer: what is shown stays, and the next look may succeed
  }
  setTimeout(follow, MILLISECONDS);
}

/** @param {string} problem */
function complain(problem) {
  $("problem").textContent = problem;
}

/* The page of the tournament was here once, and its state is in the fragment of its address. */
function isForTournament() {
  return location.hash.length > 1 && document.querySelector(".views a[href='/tournament']");
}

function begin() {
  drawAll();
  onColourChange(drawAll);
  beginOpponents(complain);
  follow();
  markReady();
}

if (isForTournament()) location.replace(`/tournament${location.hash}`);
else begin();

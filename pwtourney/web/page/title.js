/* The title of the tab: the game that is open, or the page. */

let page = document.title;
let game = "";

function show() {
  document.title = game ? `${game} · ${page}` : page;
}

/**
 * Name the page, which changes while a tournament goes on.
 * @param {string} title
 */
export function titlePage(title) {
  page = title;
  show();
}

/**
 * Name the game that is open; empty for none.
 * @param {string} title
 */
export function titleGame(title) {
  game = title;
  show();
}

/* Copy a link to the shown position, and save pictures of it, which the page makes itself. */
import { make, query, queryAll } from "./dom.js";

/** @typedef {{ name: string, text: string }} Picture */

const SHARPNESS = 2; // pixels of a PNG per unit of the drawing

/**
 * Copy a text; return false if the browser does not allow it.
 * @param {string} text
 */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/**
 * Copy a text with `execCommand`, for pages without the clipboard API.
 * @param {string} text
 */
function copyBySelection(text) {
  const focused = document.activeElement;
  const field = make("textarea", { class: "spoken", readonly: "" });
  field.value = text;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}

/**
 * @param {Blob} blob
 * @param {string} name
 */
function saveBlob(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // the browser may still be reading
}

/**
 * Render the text of an SVG to a PNG.
 * @param {string} text
 * @returns {Promise<Blob>}
 */
async function paint(text) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const [width, height] = [image.width * SHARPNESS, image.height * SHARPNESS];
  const canvas = make("canvas", { width, height });
  canvas.getContext("2d")?.drawImage(image, 0, 0, width, height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob) resolve(blob);
      else reject(new Error("the browser made no picture"));
    }, "image/png");
  });
}

/**
 * Say something in the status line next to a button.
 * @param {HTMLElement} button
 * @param {string} text
 */
function confirmBeside(button, text) {
  query(button.parentElement ?? document, "[role=status]").textContent = text;
}

/**
 * Return a picture as a file of a kind, "svg" or "png".
 * @param {string} text
 * @param {string} kind
 */
function convert(text, kind) {
  return kind === "svg" ? new Blob([text], { type: "image/svg+xml" }) : paint(text);
}

/**
 * Let the buttons with `data-save`, "svg" or "png", save what is shown, and confirm it next to them.
 * `describe` returns the file name and the text of the picture, or null if nothing is shown.
 * @param {() => Picture | null} describe
 */
export function offerPictures(describe) {
  queryAll(document, "[data-save]").forEach((button) => {
    const kind = button.dataset.save ?? "";
    button.addEventListener("click", async () => {
      const picture = describe();
      if (!picture) return;
      const name = `${picture.name}.${kind}`;
      saveBlob(await convert(picture.text, kind), name);
      confirmBeside(button, `${name} is saved.`);
    });
  });
}

/**
 * Let a button copy a text, and confirm it next to the button.
 * @param {HTMLElement} button
 * @param {string} what the text is
 * @param {() => string} find returns the text
 */
export function offerCopy(button, what, find) {
  button.addEventListener("click", async () => {
    const text = find();
    const isCopied = await copyText(text);
    confirmBeside(button, isCopied ? `The ${what} is copied.` : `Copy this ${what}: ${text}`);
  });
}

/**
 * Let a button copy a link, and confirm it next to the button.
 * @param {HTMLElement} button
 * @param {() => string} find returns the link
 */
export function offerLink(button, find) {
  offerCopy(button, "link", find);
}

/* A link to what is shown, and pictures of it as files, all made in the page itself. */

import * as Dom from "./dom.js";

const { $, make } = Dom;
const SHARPNESS = 2; // pixels of a PNG for each unit of the drawing

/* Copies a text; false if the browser does not let a page do it. */
const copy = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch (error) { // not offered to this page: the older way may be
    const focused = document.activeElement;
    const field = make("textarea", { class: "spoken", readonly: "" });
    field.value = text;
    document.body.append(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    focused.focus();
    return copied;
  }
};

const save = (blob, name) => {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // the browser may still be reading
};

const saveSvg = (text, name) => save(new Blob([text], { type: "image/svg+xml" }), `${name}.svg`);

/* Saves the text of an SVG as pixels. */
const savePng = async (text, name) => {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = make("canvas", { width: image.width * SHARPNESS, height: image.height * SHARPNESS });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((done) => { canvas.toBlob(done, "image/png"); });
  save(blob, `${name}.png`);
};

/* Lets the buttons "save SVG" and "save PNG" save what is shown, and says so. `describe` returns
   the `name` of the file and the `text` of the picture, or null if nothing is shown. */
const offerPictures = (describe) => [["svg", saveSvg], ["png", savePng]].forEach(([kind, saveAs]) =>
  $(`save-${kind}`).addEventListener("click", async () => {
    const picture = describe();
    if (!picture) return;
    await saveAs(picture.text, picture.name);
    $("shared").textContent = `${picture.name}.${kind} is saved.`;
  }));

export { copy, offerPictures };

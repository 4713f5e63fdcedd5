/* Find and make elements, and listen to events. */

/** @typedef {Record<string, string | number | boolean>} Attributes */

/**
 * Return the element with an id. Throw an error if the page has none of this kind.
 * @template {Element} [T=HTMLElement]
 * @param {string} id
 * @param {new () => T} [kind]
 * @returns {T}
 */
export function $(id, kind) {
  const element = document.getElementById(id);
  const type = kind ?? HTMLElement;
  if (!(element instanceof type)) throw new Error(`the page has no ${type.name} #${id}`);
  return /** @type {T} */ (/** @type {unknown} */ (element));
}

/**
 * Return the first element within another that matches a selector. Throw an error if there is none.
 * @param {ParentNode} root
 * @param {string} selector
 * @returns {HTMLElement}
 */
export function query(root, selector) {
  const element = root.querySelector(selector);
  if (!(element instanceof HTMLElement)) throw new Error(`nothing matches ${selector}`);
  return element;
}

/**
 * Return all elements within another that match a selector.
 * @param {ParentNode} root
 * @param {string} selector
 * @returns {HTMLElement[]}
 */
export function queryAll(root, selector) {
  return [...root.querySelectorAll(selector)].filter((element) => element instanceof HTMLElement);
}

/**
 * Return the target of an event, which must be an element.
 * @param {Event} event
 * @returns {HTMLElement}
 */
export function targetOf(event) {
  return /** @type {HTMLElement} */ (event.target);
}

/**
 * Return the closest ancestor that matches a selector, or the element itself; null for none.
 * @param {Element} element
 * @param {string} selector
 * @returns {(Element & HTMLOrSVGElement) | null}
 */
export function closest(element, selector) {
  return /** @type {(Element & HTMLOrSVGElement) | null} */ (element.closest(selector));
}

/**
 * @template {Element} T
 * @param {T} element
 * @param {Attributes} attributes
 * @param {string | number} [text]
 * @returns {T}
 */
function fill(element, attributes, text) {
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, String(value)));
  if (text !== undefined) element.textContent = String(text);
  return element;
}

/**
 * Make an element of a page.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {string | number} [text]
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function make(name, attributes = {}, text) {
  return fill(document.createElement(name), attributes, text);
}

/**
 * Make a button that does something.
 * @param {string} text
 * @param {() => void} act
 * @param {Attributes} [attributes]
 * @returns {HTMLButtonElement}
 */
export function makeButton(text, act, attributes = {}) {
  const button = make("button", { type: "button", ...attributes }, text);
  button.addEventListener("click", act);
  return button;
}

/**
 * Make an element of a drawing.
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {string | number} [text]
 * @returns {SVGElementTagNameMap[Name]}
 */
export function draw(name, attributes = {}, text) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, text);
}

/**
 * Add words for screen readers only.
 * @param {Element} element
 * @param {string} text
 */
export function addSpoken(element, text) {
  element.append(make("span", { class: "spoken" }, text));
}

/**
 * Set measures that the styles of an element use, such as `--across`.
 * @param {HTMLElement | SVGElement} element
 * @param {Record<string, number | string>} measures
 */
export function setMeasures(element, measures) {
  Object.entries(measures).forEach(([name, value]) => {
    element.style.setProperty(`--${name}`, String(value));
  });
}

/** Return true if pages are dark: by the reader's choice, or else by that of the system. */
export function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/**
 * Call a function whenever the reader or the system changes between light and dark.
 * @param {() => void} listener
 */
export function onColourChange(listener) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", listener);
  document.addEventListener("themechange", listener);
}

/**
 * Change an element that shows news; while it is pressed, by a pointer or a key, as soon as it is
 * released: a click whose target is gone does nothing.
 * @param {Element} element
 * @param {() => void} change
 */
export function whenReleased(element, change) {
  if (!element.matches(":active")) {
    change();
    return;
  }
  const waiting = new AbortController();
  const finish = () => {
    waiting.abort();
    setTimeout(change); // the click comes first
  };
  ["pointerup", "pointercancel", "keyup"].forEach((kind) => {
    addEventListener(kind, finish, { signal: waiting.signal });
  });
}

/**
 * Replace the content of an element that shows news, once it is not pressed.
 * @param {Element} element
 * @param {...(Node | string)} content
 */
export function refresh(element, ...content) {
  whenReleased(element, () => element.replaceChildren(...content));
}

/** Return true if the reader prefers reduced motion. */
export function isStill() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * Return the number in an attribute `data-KEY`.
 * @param {HTMLOrSVGElement} element
 * @param {string} key
 */
export function readNumber(element, key) {
  return Number(element.dataset[key]);
}

/**
 * Call a function when a button with an id is pressed.
 * @param {string} id
 * @param {() => void} act
 */
export function onClick(id, act) {
  $(id).addEventListener("click", act);
}

/** Mark the page as ready; tests wait for this. */
export function markReady() {
  document.documentElement.dataset.ready = "yes";
}

/**
 * Return the message of an error.
 * @param {unknown} error
 */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Return the data that are embedded in the page.
 * @returns {any}
 */
export function readFacts() {
  return JSON.parse($("facts").textContent ?? "");
}

// Scanning on the desk: a hand scanner types what it reads, as fast as no
// hand does, wherever the focus is. Without script its text goes into the field.
// @ts-check

/** Keys of a scanner follow each other within this time, in ms. */
const quick = 80;
/** A shorter text is no code of ours. */
const least = 12;

const field = /** @type {HTMLInputElement} */ (document.getElementById("code"));
/** Keys that are held until it is known who types. @type {KeyboardEvent[]} */
let held = [];
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** Keys let go again: they are the shopkeeper's. */
const released = new WeakSet();

/** @param {KeyboardEvent} event */
function isText(event) {
  const altGraph = event.getModifierState("AltGraph");
  return event.key.length === 1 && event.key !== " " && !event.isComposing && !event.repeat && (altGraph || !(event.ctrlKey || event.metaKey || event.altKey));
}

/** Lets the keys that were held do what they do on the desk. */
function release() {
  clearTimeout(timer);
  const keys = held;
  held = [];
  for (const event of keys) {
    const at = document.activeElement;
    if (at instanceof HTMLInputElement && at !== event.target && at.matches("input[type=text], input[type=password]")) {
      // A key before it has led here: it is text now, as it would be had nothing been held.
      at.setRangeText(event.key, at.selectionStart ?? 0, at.selectionEnd ?? 0, "end");
      at.dispatchEvent(new Event("input", {bubbles: true}));
      continue;
    }
    const copy = new KeyboardEvent("keydown", {key: event.key, code: event.code, shiftKey: event.shiftKey, bubbles: true, cancelable: true});
    released.add(copy);
    (event.target instanceof Element && event.target.isConnected ? event.target : document.body).dispatchEvent(copy);
  }
}

/** Sends what was read. @param {string} text */
function read(text) {
  field.value = text;
  field.form?.requestSubmit();
}

/** What is typed into the field of numbers without a pause, and what was marked before. */
let run = {text: "", last: 0, value: "", ticked: new Set()};

/**
 * Tells a scanner from a hand in the field of numbers, where digits tick boxes as they come: then they are unticked.
 * @param {KeyboardEvent} event @param {HTMLInputElement} numbers
 */
function watch(event, numbers) {
  if (event.key === "Shift" || event.key === "AltGraph") return;
  const boxes = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("#sale [data-matrix] input"));
  const paused = event.timeStamp - run.last > quick;
  if (isText(event)) {
    if (paused || run.text === "") run = {text: "", last: 0, value: numbers.value, ticked: new Set([...boxes].filter((box) => box.checked))};
    run.text += event.key;
    run.last = event.timeStamp;
    return;
  }
  const text = run.text;
  run.text = "";
  if (event.key !== "Enter" || paused || text.length < least) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  for (const box of boxes) box.checked = run.ticked.has(box);
  numbers.value = run.value;
  document.getElementById("sale")?.dispatchEvent(new Event("change")); // the address and the forms have the marks of before
  read(text);
}

/** @param {KeyboardEvent} event */
function hold(event) {
  if (released.has(event)) return;
  const at = /** @type {HTMLElement} */ (event.target);
  if (at.id === "typed") return watch(event, /** @type {HTMLInputElement} */ (at));
  if (at.matches("input[type=text], input[type=password]")) return;
  if (event.key === "Shift" || event.key === "AltGraph") return;
  if (isText(event)) {
    event.preventDefault();
    event.stopImmediatePropagation();
    held.push(event);
    clearTimeout(timer);
    timer = setTimeout(release, quick);
    return;
  }
  if (held.length === 0) return;
  if (event.key === "Enter" && held.length >= least) {
    event.preventDefault();
    event.stopImmediatePropagation();
    clearTimeout(timer);
    const text = held.map((key) => key.key).join("");
    held = [];
    read(text);
    return;
  }
  release();
}

window.addEventListener("keydown", hold, true);

/** A photo dropped or pasted on the desk is read where the desk stands. @param {FileList | undefined} list */
function photoOf(list) {
  return [...(list ?? [])].find((file) => file.type.startsWith("image/"));
}

/** @param {File} file */
function send(file) {
  const form = /** @type {HTMLFormElement} */ (document.getElementById("dropped"));
  const files = new DataTransfer();
  files.items.add(file);
  /** @type {HTMLInputElement} */ (form.querySelector("input")).files = files.files;
  form.action = `/terminal/lecture${location.search}`; // the desk as the address has it
  form.requestSubmit();
}

document.addEventListener("paste", (event) => {
  const file = photoOf(event.clipboardData?.files);
  if (!file) return;
  event.preventDefault();
  send(file);
});
const side = document.querySelector(".side");
for (const name of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(name, (event) => {
    event.preventDefault();
    side?.classList.toggle("over", name === "dragover");
    const file = name === "drop" ? photoOf(/** @type {DragEvent} */ (event).dataTransfer?.files) : undefined;
    if (file) send(file);
  });
}

// The pages beside the desk with script: their keys, and printing. Each does
// without it what it is for.
// @ts-check

/** @param {KeyboardEvent} event */
function press(event) {
  if (event.altKey || event.isComposing || event.repeat) return;
  const at = /** @type {HTMLElement} */ (event.target);
  const digit = /^(?:Digit|Numpad)([0-9])$/.exec(event.code)?.[1]; // by its place: French keyboards have digits on Shift
  const key = digit ?? (event.key.length === 1 ? event.key.toUpperCase() : event.key);
  const name = (event.ctrlKey || event.metaKey ? "Ctrl+" : "") + key;
  if (name.length === 1) return; // characters are typed on these pages
  if (name === "Escape" && at.matches("input, select, textarea")) return at.blur();
  const target = /** @type {HTMLElement | null} */ (document.querySelector(`[data-key="${CSS.escape(name)}"]`) ?? (name === "Ctrl+P" ? document.querySelector("[data-print]") : null));
  if (!target) return;
  event.preventDefault();
  target.click();
}

document.addEventListener("keydown", press);
for (const key of document.querySelectorAll("[data-print]")) {
  /** @type {HTMLElement} */ (key).hidden = false;
  key.addEventListener("click", () => print());
}
// A page that is there to be printed is printed once its picture is there.
if (document.querySelector("[data-print=now]")) addEventListener("load", () => print());
/** @type {HTMLElement | null} */ (document.querySelector(".refusal[tabindex]"))?.focus();

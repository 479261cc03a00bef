// The terminal with script: keys, counts, the countdown. Everything it does
// the page does without it, by its forms alone.
// @ts-check

const sale = /** @type {HTMLFormElement} */ (document.getElementById("sale"));
const shortcuts = /** @type {HTMLInputElement} */ (document.getElementById("shortcuts"));

/** The marks of the slip being filled in, as the page's address has them. */
function draft() {
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(sale)) {
    if (name !== "key" && value !== "") fields.append(name, String(value));
  }
  return fields;
}

/** Counts the ticks of each matrix, and shows the draws that the wager takes. */
function recount() {
  for (const matrix of sale.querySelectorAll("[data-matrix]")) {
    const most = Number(/** @type {HTMLElement} */ (matrix).dataset.pick);
    const ticked = matrix.querySelectorAll("input:checked").length;
    const count = matrix.querySelector("[data-count]");
    if (!count) continue;
    const text = `${ticked}/${most}`;
    if (count.textContent !== text) count.textContent = text;
    count.classList.toggle("full", ticked === most);
    count.classList.toggle("over", ticked > most);
  }
  const draws = Number(draft().get("draws") ?? 0);
  document.querySelectorAll("#upcoming li").forEach((li, i) => li.classList.toggle("taken", i < draws));
}

/** Keeps the marks in the address, so that nothing is lost by a reload. */
function keep() {
  recount();
  const fields = draft();
  const query = fields.toString();
  history.replaceState(null, "", query ? `/terminal?${query}` : "/terminal");
  const language = /** @type {HTMLAnchorElement | null} */ (document.querySelector("a.switch"));
  if (language) language.href = `/terminal?${query ? query + "&" : ""}lang=${language.lang}`;
  for (const form of document.querySelectorAll("form[data-state]")) carry(/** @type {HTMLFormElement} */ (form), fields);
}

/**
 * Makes the forms about tickets carry the marks along.
 * @param {HTMLFormElement} form
 * @param {URLSearchParams} fields
 */
function carry(form, fields) {
  form.querySelectorAll("[data-carried]").forEach((field) => field.remove());
  const own = new Set(["code", "command"]);
  for (const field of form.querySelectorAll("input[type=hidden]")) {
    if (!own.has(/** @type {HTMLInputElement} */ (field).name)) field.remove();
  }
  for (const [name, value] of fields) {
    const field = document.createElement("input");
    field.type = "hidden";
    field.name = name;
    field.value = value;
    field.dataset.carried = "";
    form.append(field);
  }
}

/**
 * Names a key as data-key does. Digits go by their place on the keyboard, for
 * French ones have them on Shift.
 * @param {KeyboardEvent} event
 */
function nameOf(event) {
  const digit = /^(?:Digit|Numpad)([0-9])$/.exec(event.code)?.[1];
  const key = digit ?? (event.key.length === 1 ? event.key.toUpperCase() : event.key);
  const shift = digit && event.shiftKey ? "Shift+" : "";
  const ctrl = event.ctrlKey || event.metaKey ? "Ctrl+" : "";
  return ctrl + shift + key;
}

/**
 * Tells keys that are one character, with Shift or not, from the others: whoever
 * dictates, or hits keys by mistake, can switch them off (WCAG 2.1.4).
 * @param {string} name
 */
function isCharacter(name) {
  return /^(Shift\+)?.$/u.test(name);
}

/** Shows whether keys of one character do anything. */
function showShortcuts() {
  document.body.classList.toggle("unkeyed", !shortcuts.checked);
  for (const at of document.querySelectorAll("[data-key]")) {
    const name = /** @type {HTMLElement} */ (at).dataset.key ?? "";
    if (!isCharacter(name)) continue;
    if (shortcuts.checked) at.setAttribute("aria-keyshortcuts", name);
    else at.removeAttribute("aria-keyshortcuts");
  }
}

/** @param {KeyboardEvent} event */
function press(event) {
  if (event.altKey || event.isComposing) return;
  const at = /** @type {HTMLElement} */ (event.target);
  const typing = at.matches("input[type=text], input[type=password]");
  const name = nameOf(event);
  if (typing && !name.startsWith("Ctrl+") && name !== "Escape") return;
  if (isCharacter(name) && !shortcuts.checked) return;
  if (name === "Enter" && at.closest("button, a, summary, form:not(#sale)")) return;
  const target = /** @type {HTMLElement | null} */ (document.querySelector(`[data-key="${CSS.escape(name)}"]`));
  if (!target || event.repeat) return;
  event.preventDefault();
  if (target.matches("input[type=text]")) {
    /** @type {HTMLInputElement} */ (target).select();
  } else if (typing && name === "Escape") {
    at.blur();
  } else {
    target.click();
  }
}

/** Counts down to the close of sales; then the page asks what sells next. */
function countdown() {
  const now = Date.now();
  const sales = document.getElementById("sales");
  if (!sales) return;
  offset ??= Date.parse(sales.dataset.now ?? "") - now;
  const shown = sales.querySelector("[data-countdown]");
  if (!shown || !sales.dataset.closes) return;
  const left = Math.max(0, Math.ceil((Date.parse(sales.dataset.closes) - now - offset) / 1000));
  shown.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  shown.classList.toggle("soon", left <= 20);
}

/** @type {number | undefined} */
let offset;
let asked = Date.now();
/** All terminals see a draw close at one moment: they ask spread over a second. */
const spread = 300 + 1000 * Math.random();

/**
 * Takes what sells now from a fresh copy of the page, when it may have changed:
 * after a close or an opening, and now and then while nothing sells. Ticks and texts stay.
 */
async function refresh() {
  const sales = document.getElementById("sales");
  const closes = Date.parse(sales?.dataset.closes ?? ""), opens = Date.parse(sales?.dataset.opens ?? "");
  const now = Date.now();
  const shut = Number.isNaN(closes);
  const over = now + (offset ?? 0) >= (shut ? opens : closes) + spread;
  if ((!over && !shut) || now - asked < (over ? 2000 : 60_000)) return;
  asked = now;
  try {
    const answer = await fetch(location.pathname === "/terminal" ? location.href : "/terminal", { headers: { Accept: "text/html" } });
    if (answer.redirected) location.reload(); // to sign on; the address keeps the marks
    if (!answer.ok || answer.redirected) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const id of ["sales", "upcoming"]) {
      const fresh = page.getElementById(id);
      if (fresh) document.getElementById(id)?.replaceWith(fresh);
    }
    offset = undefined;
    recount();
    countdown();
  } catch {
    // The line is down; the next second asks again.
  }
}

sale.addEventListener("change", keep);
document.addEventListener("keydown", press);
shortcuts.checked = localStorage.getItem("shortcuts") !== "off";
shortcuts.addEventListener("change", () => {
  localStorage.setItem("shortcuts", shortcuts.checked ? "on" : "off");
  showShortcuts();
});
showShortcuts();
/** @type {HTMLElement} */ (shortcuts.closest("label")).hidden = false;
// The answer to a form stands at the form's address: from here on the page has
// one that can be loaded again.
if (location.pathname === "/terminal") recount();
else keep();
countdown();
setInterval(() => {
  countdown();
  void refresh();
}, 500);
/** @type {HTMLElement | null} */ (document.querySelector(".refusal[tabindex]"))?.focus();

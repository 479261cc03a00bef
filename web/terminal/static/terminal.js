// The terminal with script: keys, counts, the price, the countdown. Everything
// it does the page does without it, by its forms alone.
// @ts-check

import {quoteOf} from "./quote.js";

const sale = /** @type {HTMLFormElement} */ (document.getElementById("sale"));
const shortcuts = /** @type {HTMLInputElement} */ (document.getElementById("shortcuts"));

/** The marks of the slip being filled in, as the page's address has them. */
function draft() {
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(sale)) {
    if (name !== "key" && name !== "" && value !== "") fields.append(name, String(value));
  }
  return fields;
}

/** Counts the ticks of each matrix, and shows the draws that the wager takes and its price. */
function recount() {
  for (const matrix of sale.querySelectorAll("[data-matrix]")) {
    const {pick, extra} = /** @type {HTMLElement} */ (matrix).dataset;
    const least = Number(pick), most = least + Number(extra);
    const ticked = matrix.querySelectorAll("input:checked").length;
    const count = matrix.querySelector("[data-count]");
    if (!count) continue;
    const text = `${ticked}/${least}`;
    if (count.textContent !== text) count.textContent = text;
    count.classList.toggle("full", ticked >= least && ticked <= most);
    count.classList.toggle("over", ticked > most);
  }
  const draws = Number(draft().get("draws") ?? 0);
  document.querySelectorAll("#upcoming li").forEach((li, i) => {
    const before = Number(/** @type {HTMLElement} */ (li).dataset.shown ?? i);
    li.classList.toggle("taken", before < draws);
  });
  reprice();
}

/** The marks of the page as a price sees them. @returns {import("./quote.js").Marks} */
function marks() {
  const box = /** @type {HTMLElement} */ (document.getElementById("quote")), {limit, limits, shapes, slip, also, alone, cut} = box.dataset;
  const fields = draft();
  const matrices = [...sale.querySelectorAll("[data-matrix]")].map((matrix) => {
    const {matrix: key, pick, extra, columns} = /** @type {HTMLElement} */ (matrix).dataset;
    const ticked = [...matrix.querySelectorAll("input:checked")];
    const counts = Array.from({length: Number(columns)}, () => 0);
    for (const at of ticked) if (counts.length) counts[Number(/** @type {HTMLElement} */ (at).dataset.column)]++;
    return {key: key ?? "", pick: Number(pick), most: Number(pick) + Number(extra), ticked: ticked.length, columns: counts, also: key === also};
  });
  return {
    matrices, shapes: (shapes ?? "").split(" ").filter(Boolean), alone: alone === "true", slip: slip === "true",
    boards: [...document.querySelectorAll("[data-combinations]")].map((li) => {
      const {combinations, shape} = /** @type {HTMLElement} */ (li).dataset;
      return {combinations: Number(combinations), shape: shape ?? ""};
    }),
    stake: Number(fields.get("stake") ?? 0), draws: Number(fields.get("draws") ?? 0),
    left: cut === "true" ? Number(document.getElementById("upcoming")?.dataset.left) || Infinity : Infinity,
    stakes: values("stake"), counts: values("draws"),
    limit: Number(limit), scope: limits?.split(" ")[0] ?? "", plays: limits?.split(" ")[1] ?? "",
  };
}

/** @param {string} name of the field whose choices are listed, ascending */
const values = (name) => [...sale.querySelectorAll(`input[name="${name}"]`)].map((at) => Number(/** @type {HTMLInputElement} */ (at).value));

/** The marks that the server's offers are about; null: it has made none, or they have changed. */
let given = document.querySelector("#quote .offer") ? draft().toString() : null;

/** Writes what the slip would cost, and what is wrong with it as it stands. The server asks the rules again. */
function reprice() {
  const box = document.getElementById("quote");
  if (!box) return;
  // What the server offers may be about a quick pick, which no tick shows: it stands until something is marked.
  if (given !== null && draft().toString() === given) return;
  given = null;
  const q = quoteOf(marks()), euros = new Intl.NumberFormat(box.dataset.lang === "en" ? "en-GB" : "fr-FR", {style: "currency", currency: "EUR"});
  const money = (/** @type {number} */ cents) => euros.format(cents / 100);
  /** @param {string} id @param {Record<string, string | number>} [words] */
  const say = (id, words = {}) => (box.dataset["say" + id] ?? "").replace(/\{(\w+)\}/g, (_, word) => String(words[word] ?? ""));
  /** @param {string} id @param {number} n */
  const many = (id, n) => say(id, {n}).split("|")[n === 1 ? 0 : 1];
  let text = q.combinations > 0 ? many("Combinations", q.combinations) : say("Hint");
  if (q.combinations > 0 && q.stake > 0) text = say("Sum", {n: many("Combinations", q.combinations), stake: money(q.stake), draw: money(q.perDraw)});
  if (q.fault) text = say(q.fault.id, q.fault.words);
  if (q.over) text = say("Limit", {price: money(q.over.price), limit: money(q.over.limit)});
  write(box, "[data-sum]", text);
  write(box, "[data-total]", q.total > 0 && !q.over ? money(q.total) : "");
  box.classList.toggle("wrong", Boolean(q.fault || q.over));
  for (const matrix of sale.querySelectorAll("[data-columns]")) {
    matrix.querySelectorAll(".column").forEach((column, i) => column.classList.toggle("off", q.fault !== null && q.fault.columns.includes(i) && /** @type {HTMLElement} */ (matrix).dataset.columns !== "0"));
  }
  const offers = (q.over?.fits ?? []).map((fit) => {
    const key = document.createElement("button");
    key.type = "submit";
    key.name = "do";
    key.className = "offer";
    key.value = `${fit.name}:${fit.value}`;
    key.textContent = say("Fit", {what: fit.name === "stake" ? say("Stake", {stake: money(fit.value)}) : many("Draws", fit.value), price: money(fit.price)});
    return key;
  });
  if (q.over && q.over.most > 0) {
    const most = document.createElement("span");
    most.textContent = many("Most", q.over.most);
    box.querySelector("[data-fits]")?.replaceChildren(...offers, most);
  } else box.querySelector("[data-fits]")?.replaceChildren(...offers);
}

/** @param {Element} box @param {string} at @param {string} text */
function write(box, at, text) {
  const el = box.querySelector(at);
  if (el && el.textContent !== text) el.textContent = text;
}

/** Ticks what an offer proposes, without asking the server. @param {MouseEvent} event */
function accept(event) {
  const key = /** @type {Element} */ (event.target).closest(".offer");
  if (!(key instanceof HTMLButtonElement)) return;
  const [name, value] = key.value.split(":");
  const box = /** @type {HTMLInputElement | null} */ (sale.querySelector(`input[name="${name}"][value="${value}"]`));
  if (!box) return;
  event.preventDefault();
  box.checked = true;
  document.getElementById("refusal")?.remove(); // it was about the price
  keep();
  box.focus();
}

/** The boxes that what stands in the field has ticked. @type {Set<HTMLInputElement>} */
let byField = new Set();

/** Ticks the boxes whose numbers are typed: "1 7 13 + 3", the second matrix after a plus. @param {Event} event */
function type(event) {
  const field = /** @type {HTMLInputElement} */ (event.target);
  const lists = [...sale.querySelectorAll("[data-matrix]")];
  const parts = field.value.split(/[+jJ]/);
  /** @type {Set<HTMLInputElement>} */
  const meant = new Set();
  /** @type {string[]} */
  const unknown = [];
  parts.forEach((part, i) => {
    const words = part.split(/[^0-9]+/).filter(Boolean);
    // The last number is still being typed, unless something stands behind it or no longer number begins so.
    const names = new Map([...(lists[i]?.querySelectorAll("input") ?? [])].map((box) => [box.closest("label")?.querySelector(".name")?.textContent?.trim() ?? "", box]));
    words.forEach((word, n) => {
      const box = names.get(word);
      const open = i === parts.length - 1 && n === words.length - 1 && /[0-9]$/.test(part) && [...names.keys()].some((name) => name !== word && name.startsWith(word));
      if (!box) unknown.push(word);
      else if (!(open && event.type === "input")) meant.add(box);
    });
  });
  // A number that only begins the one that now stands there is not meant.
  for (const box of byField) if (!meant.has(box)) box.checked = false;
  byField = new Set([...meant].filter((box) => byField.has(box) || !box.checked));
  for (const box of meant) box.checked = true;
  if (event.type === "change") {
    field.value = "";
    byField.clear();
  }
  keep();
  const quote = document.getElementById("quote");
  if (event.type !== "change" || !unknown.length || !quote) return;
  write(quote, "[data-sum]", (quote.dataset.sayUnknown ?? "").replace("{numbers}", unknown.join(", ")));
  quote.classList.add("wrong");
}

/** Goes from box to box by the arrows. @param {KeyboardEvent} event */
function move(event) {
  const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key];
  const at = /** @type {HTMLElement} */ (event.target);
  if (!step || !at.matches(".boxes input[type=checkbox]")) return false;
  const here = /** @type {Element} */ (at.closest("label")).getBoundingClientRect();
  const x = here.x + here.width / 2 + step[0] * (here.width + 6), y = here.y + here.height / 2 + step[1] * (here.height + 6);
  const next = document.elementsFromPoint(x, y).find((el) => el.matches(".boxes input"));
  if (next) /** @type {HTMLElement} */ (next).focus();
  event.preventDefault();
  return true;
}

/** Keeps the marks in the address, so that nothing is lost by a reload. */
function keep() {
  recount();
  const fields = draft();
  const query = fields.toString();
  history.replaceState(null, "", query ? `/terminal?${query}` : "/terminal");
  const language = /** @type {HTMLAnchorElement | null} */ (document.querySelector("a.switch"));
  if (language) language.href = `/terminal?${query ? query + "&" : ""}lang=${language.lang}`;
  for (const place of document.querySelectorAll(".menu a, #scan")) /** @type {HTMLAnchorElement} */ (place).search = query;
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

/**
 * Shuts what is open before Escape means anything else: the question around what has
 * the focus, or any other one, unless a field would be left first.
 * @param {HTMLElement} at @param {boolean} typing
 */
function shutOne(at, typing) {
  const open = /** @type {HTMLDetailsElement | null} */ (at.closest("details[open]") ?? (typing ? null : document.querySelector("details[open]")));
  if (!open) return false;
  open.open = false;
  open.querySelector("summary")?.focus();
  return true;
}

/** @param {KeyboardEvent} event */
function press(event) {
  if (event.altKey || event.isComposing || move(event)) return;
  const at = /** @type {HTMLElement} */ (event.target);
  const typing = at.matches("input[type=text], input[type=password]");
  const name = nameOf(event);
  if (typing && !name.startsWith("Ctrl+") && name !== "Escape" && !/^F[0-9]+$/.test(name)) return;
  if (at.id === "typed" && name === "Enter") return; // its change ticks the boxes
  if (name === "Escape" && shutOne(at, typing)) return event.preventDefault();
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
/** All terminals see a draw close at one moment: they ask spread over three seconds. */
const spread = 300 + 2700 * Math.random();

/**
 * Takes what sells now from the server, when it may have changed: it is asked for
 * that part of the page alone, after a close or an opening, and now and then while nothing sells. Ticks and texts stay.
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
    const answer = await fetch("/terminal/tirages" + (location.pathname === "/terminal" ? location.search : ""));
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

/** The next player's slip is begun: what the one before was told goes from before the player. */
function next() {
  const strip = document.getElementById("strip"), then = document.getElementById("strip-next");
  if (!strip || !(then instanceof HTMLTemplateElement)) return;
  strip.replaceChildren(then.content);
  then.remove();
}

sale.addEventListener("change", (event) => {
  if (event.target !== sale) next(); // a mark, and not the script of prints
  if (/** @type {HTMLElement} */ (event.target).id !== "typed") keep();
});
sale.addEventListener("click", accept);
const typed = /** @type {HTMLInputElement | null} */ (document.getElementById("typed"));
if (typed) {
  typed.addEventListener("input", type);
  typed.addEventListener("change", type);
  typed.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    typed.blur();
  });
  /** @type {HTMLElement} */ (typed.closest("label")).hidden = false;
}
document.addEventListener("keydown", press);
shortcuts.checked = localStorage.getItem("shortcuts") !== "off";
shortcuts.addEventListener("change", () => {
  localStorage.setItem("shortcuts", shortcuts.checked ? "on" : "off");
  showShortcuts();
});
showShortcuts();
/** @type {HTMLElement} */ (shortcuts.closest("label")).hidden = false;
// What a ticket's cancellation asks is shown whole; also where it came once a print was over.
document.addEventListener("toggle", (event) => {
  const details = event.target;
  if (details instanceof HTMLDetailsElement && details.open && details.matches(".cancelling")) details.scrollIntoView({block: "nearest"});
}, {capture: true});
// The answer to a form stands at the form's address: from here on the page has
// one that can be loaded again.
if (location.pathname === "/terminal") recount();
else keep();
countdown();
setInterval(() => {
  countdown();
  void refresh();
}, 500);
/** @type {HTMLElement | null} */ (document.querySelector("#lined, .refusal[tabindex], [data-fresh]"))?.focus({preventScroll: true}); // so it is read out

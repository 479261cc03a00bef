// What moves money is asked for again, by the same key, until it is answered: it is
// done once, and a double click does nothing more. Or it is given up, and the page
// says what became of it. Without script the browser's own "load again" does the same.
// The forms are that of the sale, and those that say so (data-once): of what is
// sold, or of money that is handed out.
// @ts-check

const line = /** @type {HTMLElement} */ (document.getElementById("line"));
const main = /** @type {HTMLElement} */ (document.querySelector("main"));
const give = /** @type {HTMLButtonElement} */ (line.querySelector("button"));

/** How long an answer is waited for, and how long until it is asked for again, in ms. */
const answerTime = 8000, pause = 1000;
/** After so long without an answer the page says so, in ms. */
const patience = 1500;

/** @type {URLSearchParams | null} */
let waiting = null;
/** Another desk is on its way. */
let leaving = false;
/** @type {AbortController | null} */
let asking = null;
let path = "";
/** Counts the commands: what an older one still does is of no interest. */
let turn = 0;
/** What is asked for: "sale" or "hand". */
let what = "sale";

/** @param {string} state "asking" or "giving" */
function say(state) {
  for (const text of line.querySelectorAll("[data-says]")) {
    /** @type {HTMLElement} */ (text).hidden = /** @type {HTMLElement} */ (text).dataset.says !== `${state} ${what}`;
  }
}

/** @param {boolean} on */
function show(on) {
  line.hidden = !on;
  main.inert = on;
  if (on) give.focus();
}

/**
 * Asks until there is an answer, whatever it is: a page that says nothing of what was asked for is none.
 * @param {URLSearchParams} form
 */
async function ask(form) {
  const mine = ++turn;
  const slow = setTimeout(() => show(true), patience);
  while (mine === turn) {
    asking = new AbortController();
    const late = setTimeout(() => asking?.abort(), answerTime);
    try {
      const answer = await fetch(path, { method: "POST", body: form, headers: { Prefer: "return=minimal" }, signal: asking.signal });
      if (mine !== turn) break;
      if ((answer.status < 500 && answer.status !== 429) || answer.headers.has("Preference-Applied")) return settle(form);
      show(true);
    } catch {
      if (mine !== turn) break;
      show(true);
    } finally {
      clearTimeout(late);
    }
    await new Promise((done) => setTimeout(done, pause));
  }
  clearTimeout(slow);
}

/**
 * Shows the answer: the form is sent once more, as a page. The same keys, the same answer.
 * @param {URLSearchParams} form
 */
function settle(form) {
  const page = document.createElement("form");
  page.method = "post";
  page.action = path;
  page.hidden = true;
  for (const [name, value] of form) {
    const field = document.createElement("input");
    field.type = "hidden";
    field.name = name;
    field.value = value;
    page.append(field);
  }
  document.body.append(page);
  page.submit();
}

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target), key = /** @type {HTMLButtonElement | null} */ (event.submitter);
  const sells = form.id === "sale" && key?.value === "sell";
  if (!sells && form.dataset.once === undefined) {
    if (form.id !== "sale") return;
    leaving = true;
    setTimeout(() => { leaving = false; }, answerTime);
    return;
  }
  event.preventDefault();
  if (waiting || leaving) return; // a double click; or the desk that is on its way would still have in its basket what is sold meanwhile
  waiting = new URLSearchParams();
  for (const [name, value] of new FormData(form, key)) waiting.append(name, String(value));
  path = /** @type {string} */ (form.getAttribute("action"));
  what = form.dataset.once ?? "sale";
  say("asking");
  void ask(waiting);
});

give.addEventListener("click", () => {
  if (!waiting || give.disabled) return;
  turn++;
  asking?.abort();
  path = (give.dataset.path ?? "") + new URL(path, location.href).search;
  give.disabled = true;
  say("giving");
  void ask(waiting);
});

// While it waits the page does nothing else: what is done would be on no page.
addEventListener("keydown", (event) => {
  if (!waiting) return;
  event.stopImmediatePropagation();
  if (event.key === "Escape" && !line.hidden) give.click();
  if (event.key !== "Enter" && event.key !== " " && event.key !== "Tab" || event.target !== give) event.preventDefault();
}, { capture: true });
for (const kind of ["click", "drop", "paste"]) {
  addEventListener(kind, (event) => {
    if (!waiting || event.target === give || give.contains(/** @type {Node} */ (event.target))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, { capture: true });
}

// A page that the browser kept is begun anew.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

// A sale whose answer is lost is asked for again, by the same keys, until it is
// answered: it is sold once. Or it is given up, and the page says what became of it.
// Without script the browser's own "load again" does the same.
// @ts-check

const sale = /** @type {HTMLFormElement} */ (document.getElementById("sale"));
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
let path = sale.action;
/** Counts the commands: what an older one still does is of no interest. */
let turn = 0;

/** @param {boolean} on */
function show(on) {
  line.hidden = !on;
  main.inert = on;
  if (on) give.focus();
}

/**
 * Asks until there is an answer, whatever it is: a page that says nothing of the sale is none.
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
      if (answer.status < 500 || answer.headers.has("Preference-Applied")) return settle(form);
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

sale.addEventListener("submit", (event) => {
  const key = /** @type {HTMLButtonElement | null} */ (event.submitter);
  if (key?.value !== "sell") {
    leaving = true;
    setTimeout(() => { leaving = false; }, answerTime);
    return;
  }
  event.preventDefault();
  if (waiting || leaving) return; // a double click; or the desk that is on its way would still have in its basket what is sold meanwhile
  waiting = new URLSearchParams();
  for (const [name, value] of new FormData(sale, key)) waiting.append(name, String(value));
  void ask(waiting);
});

give.addEventListener("click", () => {
  if (!waiting || path !== sale.action) return;
  turn++;
  asking?.abort();
  path = give.dataset.path ?? "";
  give.disabled = true;
  /** @type {HTMLElement} */ (line.querySelector("[data-asking]")).hidden = true;
  /** @type {HTMLElement} */ (line.querySelector("[data-giving]")).hidden = false;
  void ask(waiting);
});

// While it waits the desk does nothing else.
addEventListener("keydown", (event) => {
  if (!waiting) return;
  event.stopImmediatePropagation();
  if (event.key === "Escape" && !line.hidden) give.click();
  if (event.key !== "Enter" && event.key !== " " && event.key !== "Tab" || event.target !== give) event.preventDefault();
}, { capture: true });

// A page that the browser kept is begun anew.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

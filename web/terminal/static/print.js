// A print goes on after the sale is answered: the page asks until it is over, and
// then shows how it ended, in the places that said that it was under way. Without
// script the page has a key that loads it again. A ticket that is saved as a file is
// shown as printed, too.
// @ts-check

/** Between the first two questions, and between any two at most, in ms. */
const pace = 300, paceMost = 1500;

/** Places of the page whose print is under way. */
const waiting = () => /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[id^=print-]")].filter((box) => box.querySelector("[data-underway]")));

/** @param {Element | null} old @param {Element | null} fresh */
function swap(old, fresh) {
  if (old && fresh && !old.contains(document.activeElement) && !old.querySelector("details[open]")) old.replaceWith(fresh);
}

/** A fresh copy of the page; null: there is none now. @returns {Promise<Document | null>} */
async function fresh() {
  const own = document.querySelector("main")?.dataset.page; // of a page beside the desk
  const answer = await fetch(own ?? (location.pathname === "/terminal" ? location.href : "/terminal"), { headers: { Accept: "text/html", Prefer: "return=representation" } });
  return answer.ok && !answer.redirected ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
}

/** The forms that have come carry the marks too. */
const carried = () => document.getElementById("sale")?.dispatchEvent(new Event("change"));

/** Takes from a fresh copy of the page how prints ended. Ticks and texts stay. */
async function take() {
  const page = await fresh();
  if (!page) return;
  swap(document.getElementById("late"), page.getElementById("late"));
  for (const box of waiting()) {
    const fresh = page.getElementById(box.id), cancel = box.id.replace("print", "cancel");
    if (fresh) swap(box, fresh);
    else box.replaceChildren(); // something else lies on the counter
    if (fresh) swap(document.getElementById(cancel), page.getElementById(cancel));
    fresh?.querySelector(".refusal")?.scrollIntoView({block: "nearest"});
  }
  carried();
}

/** Asks until no print is under way. */
async function watch() {
  let before = 0, wait = pace;
  while (waiting().length > 0) {
    await new Promise((done) => setTimeout(done, wait));
    wait = Math.min(1.2 * wait, paceMost);
    try {
      const answer = await fetch("/terminal/impressions", { headers: { Accept: "text/plain" } });
      if (answer.redirected) return; // to sign on
      if (!answer.ok) continue;
      const left = Number(await answer.text());
      if (left < before || left === 0) await take();
      before = left;
    } catch {
      // The line is down; the next time asks again.
    }
  }
}

/**
 * Saves a ticket as a file: a download leaves the page as it is, so the page takes by itself that the ticket was printed.
 * @param {HTMLFormElement} form @param {HTMLButtonElement} key
 */
async function save(form, key) {
  if (form.dataset.saving) return; // a double click
  form.dataset.saving = "yes";
  const fields = new URLSearchParams(), id = form.closest("[id^=print-]")?.id ?? "", way = key.value;
  for (const [name, value] of new FormData(form, key)) fields.append(name, String(value));
  try {
    const answer = await fetch(form.action, { method: "POST", body: fields });
    const name = /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition") ?? "")?.[1];
    if (!name) throw new Error("no file");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await answer.blob());
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  } catch { // refused, or the line has just gone: the page that comes says why, and the same command prints once
    const field = document.createElement("input");
    field.type = "hidden";
    field.name = key.name;
    field.value = way;
    form.append(field);
    form.submit();
    return;
  }
  const page = await fresh().catch(() => null);
  delete form.dataset.saving;
  if (!page) return;
  for (const old of [...document.querySelectorAll("#late, [id^=print-]")]) {
    const next = page.getElementById(old.id);
    if (next && old.isConnected && !old.querySelector("details[open]")) old.replaceWith(next);
  }
  carried();
  /** @type {HTMLElement | null} */ (document.getElementById(id)?.querySelector(`button[value="${way}"]`) ?? null)?.focus();
}

// See line.js: it sends forms, and whoever sends one otherwise says so.
document.addEventListener("goes", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target), key = /** @type {CustomEvent<HTMLButtonElement | null>} */ (event).detail;
  if (!form.matches(".printing") || key?.value !== "pdf" && key?.value !== "png") return;
  event.preventDefault();
  void save(form, key);
});

void watch();

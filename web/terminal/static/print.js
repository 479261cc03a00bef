// A print goes on after the sale is answered: the page asks until it is over, and
// then shows how it ended, in the places that said that it was under way. Without
// script the page has a key that loads it again.
// @ts-check

/** Between the first two questions, and between any two at most, in ms. */
const pace = 300, paceMost = 1500;

/** Places of the page whose print is under way. */
const waiting = () => /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[id^=print-]")].filter((box) => box.querySelector("[data-underway]")));

/** @param {Element | null} old @param {Element | null} fresh */
function swap(old, fresh) {
  if (old && fresh && !old.contains(document.activeElement) && !old.querySelector("details[open]")) old.replaceWith(fresh);
}

/** Takes from a fresh copy of the page how prints ended. Ticks and texts stay. */
async function take() {
  const own = document.querySelector("main")?.dataset.page; // of a page beside the desk
  const answer = await fetch(own ?? (location.pathname === "/terminal" ? location.href : "/terminal"), { headers: { Accept: "text/html", Prefer: "return=representation" } });
  if (!answer.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  swap(document.getElementById("late"), page.getElementById("late"));
  for (const box of waiting()) {
    const fresh = page.getElementById(box.id), cancel = box.id.replace("print", "cancel");
    if (fresh) swap(box, fresh);
    else box.replaceChildren(); // something else lies on the counter
    if (fresh) swap(document.getElementById(cancel), page.getElementById(cancel));
    fresh?.querySelector(".refusal")?.scrollIntoView({block: "nearest"});
  }
  document.getElementById("sale")?.dispatchEvent(new Event("change")); // the new forms carry the marks too
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

void watch();

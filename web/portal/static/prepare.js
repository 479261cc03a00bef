// Says the price while the slip is filled in. Without it the page says it when it is asked.
const form = /** @type {HTMLFormElement | null} */ (document.querySelector("#slip"));
let asked = 0;

/** @param {HTMLFormElement} f */
async function price(f) {
  const turn = ++asked;
  const query = new URLSearchParams(/** @type {any} */ (new FormData(f)));
  query.set("do", "price");
  try {
    const answer = await fetch(f.action + "?" + query, { headers: { Accept: "text/html" } });
    if (!answer.ok || turn !== asked) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const from = page.querySelector("#sum"), to = document.querySelector("#sum");
    if (from && to && !to.isEqualNode(from)) to.replaceChildren(...from.childNodes);
  } catch { /* the line is down: the price is said when the slip is sent */ }
}

/** Says how many boxes of each matrix are ticked. @param {HTMLFormElement} f */
function count(f) {
  for (const said of f.querySelectorAll(".picked")) {
    const n = said.closest("fieldset")?.querySelectorAll("input:checked").length ?? 0;
    said.textContent = n ? (/** @type {HTMLElement} */ (said).dataset.say ?? "").replace("{n}", String(n)) : "";
  }
}

if (form) form.addEventListener("change", () => { count(form); price(form); });
document.querySelector("#refusal")?.scrollIntoView({ block: "center" });

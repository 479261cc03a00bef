// A tick at the head of a list of draws ticks all of them.
// @ts-check

for (const table of /** @type {NodeListOf<HTMLTableElement>} */ (document.querySelectorAll("table[data-ticks]"))) {
  const ticks = /** @type {HTMLInputElement[]} */ ([...table.querySelectorAll("tbody input[type=checkbox]")]);
  if (ticks.length === 0) continue;
  const all = document.createElement("input");
  all.type = "checkbox";
  all.setAttribute("aria-label", table.dataset.ticks ?? "");
  const show = () => {
    const n = ticks.filter((t) => t.checked).length;
    all.checked = n === ticks.length;
    all.indeterminate = n > 0 && n < ticks.length;
  };
  all.addEventListener("change", () => ticks.forEach((t) => { t.checked = all.checked; }));
  table.addEventListener("change", show);
  table.tHead?.rows[0].cells[0].append(all);
  show();
}

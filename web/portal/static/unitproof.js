// Checks a unit in the viewer's own browser: signature, opening, path to the root of its pool.

import {leafHash, rootOf, toHex, verify} from "./seal.js";
import {readUnit} from "./unit.js";

const page = /** @type {HTMLElement} */ (document.querySelector("main.unit-proof"));
const {text = "", signature = "", key = "", leaf = ""} = page.dataset;

/**
 * @param {string} check
 * @param {boolean | null} good null: the browser cannot tell
 */
function tick(check, good) {
	const el = /** @type {HTMLElement} */ (page.querySelector(`[data-check="${check}"] .seal`));
	const state = good === null ? "unknown" : good ? "yes" : "no";
	el.dataset.is = state;
	el.textContent = page.dataset[state] ?? "";
}

const seal = await verify(key, text, signature);
tick("signature", seal === "unknown" ? null : seal === "valid");
try {
	const unit = readUnit(text);
	const hash = await leafHash(unit);
	tick("leaf", toHex(hash) === leaf);
	const root = unit.proof ? await rootOf(hash, unit.unit, unit.units, unit.proof) : null;
	tick("root", unit.proof ? root !== null && toHex(root) === unit.root : null);
} catch {
	tick("leaf", null);
	tick("root", null);
}

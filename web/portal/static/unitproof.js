// Checks a unit in the viewer's own browser: signature, opening, path to the root of its pool.

import * as log from "./log.js";
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

/**
 * Whether the signed journal has the record that committed the pool of a unit: its game, price, units and root.
 * @param {import("./unit.js").Unit} unit
 */
async function inJournal(unit) {
	const {index = "", record = "", logKey = ""} = page.dataset, bytes = log.fromHex(record);
	const answer = await log.read(`proof/${index}`);
	if (!answer.ok) return null;
	const proof = log.parseProof(await answer.text());
	const checkpoint = log.parseCheckpoint(proof.checkpoint);
	if (proof.index !== Number(index)) return false;
	await log.checkIncluded(proof.index, checkpoint.size, await log.leafHash(bytes), proof.hashes, checkpoint.root);
	const signed = await log.checkSigned(proof.checkpoint, logKey);
	const [kind, , pool] = log.decode(bytes);
	const same = kind === 26n && pool.get(1) === BigInt(unit.pool) && pool.get(2) === unit.game && pool.get(3) === BigInt(unit.price) &&
		pool.get(9) === BigInt(unit.units) && toHex(pool.get(10)) === unit.root && proof.index < unit.record;
	return same && signed === null ? null : same;
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
try {
	tick("journal", await inJournal(readUnit(text)));
} catch (err) {
	tick("journal", err instanceof log.Wrong ? false : null);
}

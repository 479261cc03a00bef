// The instant game: a unit is asked for, answered once, and shown throw by
// throw. All that is shown of it stands in the text that the server signed; the
// balance is what the server says it is.

import {Island, animate} from "./island.js";
import {verify} from "./seal.js";
import * as sound from "./sound.js";
import {money, nameOf, readUnit, say, short, symbols, visits} from "./unit.js";

/** @typedef {import("./unit.js").Unit} Unit */
/** @typedef {import("./unit.js").Visit} Visit */

/**
 * The answer to a play: the signed text, and what the balance was before and is after the prize.
 * @typedef {{record: number, text: string, signature: string, during: number, balance: number}} Answer
 * @typedef {{code: string, sentence: string, address: string}} Refusal
 * @typedef {{units: number, staked: number, won: number, minutes: number}} Tally
 * @typedef {{key: string, price: number}} Command
 */

const root = /** @type {HTMLElement} */ (document.getElementById("scene"));
const words = root.dataset;

/**
 * @template {HTMLElement} T
 * @param {string} id
 */
const $ = (id) => /** @type {T} */ (document.getElementById(id));

const island = new Island(root);
const form = /** @type {HTMLFormElement | null} */ (document.getElementById("play"));
const throwKey = /** @type {HTMLButtonElement} */ ($("throw"));
const dialogs = {
	how: /** @type {HTMLDialogElement} */ ($("how")), win: /** @type {HTMLDialogElement} */ ($("win")),
	reality: /** @type {HTMLDialogElement} */ ($("reality")),
};

// What the page remembers of a unit is how far it was watched, and a command
// that has no answer yet: nothing that could be true or false of a prize.

const memory = {
	watched: `tirage.watched.${words.code}.${words.player}`,
	command: `tirage.command.${words.code}.${words.player}`,
	quiet: "tirage.how", sound: "tirage.sound", reality: `tirage.reality.${words.player}`,
};

/**
 * @param {Storage} in_
 * @param {string} name
 * @returns {any}
 */
function recall(in_, name) {
	try {
		return JSON.parse(in_.getItem(name) ?? "null");
	} catch {
		return null;
	}
}

/**
 * @param {Storage} in_
 * @param {string} name
 * @param {unknown} value undefined: forget it
 */
function keep(in_, name, value) {
	try {
		if (value === undefined) in_.removeItem(name);
		else in_.setItem(name, JSON.stringify(value));
	} catch {
		// a browser that keeps nothing: the history has the unit
	}
}

// Sentences.

const told = $("say");

/** @param {string} sentence */
function announce(sentence) {
	const p = document.createElement("p");
	p.textContent = sentence;
	told.append(p);
	while (told.childElementCount > 12) told.firstElementChild?.remove();
}

/** @param {string} text */
function note(text) {
	$("note").textContent = text;
	$("note").hidden = text === "";
}

/** @param {number} cents */
function showBalance(cents) {
	for (const el of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#balance"))) {
		el.textContent = money(cents);
		el.dataset.cents = String(cents);
	}
}

// The bar at the bottom: one of its parts at a time.

/** @param {"price" | "throws" | "over" | "gate"} part */
function show(part) {
	root.dataset.part = part;
	for (const el of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-in]"))) el.hidden = el.dataset.in !== part;
}

/** @param {number} done throws done */
function showThrows(done) {
	const discs = root.querySelectorAll(".isle-throws li");
	discs.forEach((el, i) => el.classList.toggle("left", i >= done));
	$("left").textContent = say(words.sayLeft, {n: discs.length - done});
}

/** What each combination pays at a price. @param {number} price */
function showPrizes(price) {
	const table = /** @type {{price: number, prizes: {amount: number, symbol: number, of: number}[]}[]} */ (JSON.parse(words.tables ?? "[]")).find((t) => t.price === price);
	if (!table) return;
	for (const el of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-pays]"))) {
		const [symbol, of] = (el.dataset.pays ?? "").split("x").map(Number);
		const prize = table.prizes.find((p) => p.symbol === symbol && p.of === of);
		el.textContent = prize ? short(prize.amount) : "";
	}
	$("stake").textContent = money(price);
	$("top").textContent = short(table.prizes[0].amount);
}

// A unit on the island.

/**
 * What is being played or watched.
 * @type {{unit: Unit, answer: Answer, ways: Visit[][], done: number, again: boolean} | null}
 */
let on = null;
let busy = false;

/** While the island moves nothing else begins. @param {boolean} moving */
function hold(moving) {
	busy = moving;
	if (moving) throwKey.setAttribute("aria-disabled", "true");
	else throwKey.removeAttribute("aria-disabled");
}

/**
 * Takes an answer: checks its signature, reads its text, and lays the island.
 * @param {Answer} answer
 * @param {{seen?: number, again?: boolean}} [how]
 */
async function take(answer, {seen = 0, again = false} = {}) {
	const seal = await verify(words.key ?? "", answer.text, answer.signature);
	busy = false; // from here on it is on, or not
	try {
		if (seal === "forged") throw new Error("signature");
		const unit = readUnit(answer.text);
		if (unit.record !== answer.record || unit.game !== words.code) throw new Error("another unit");
		on = {unit, answer, ways: unit.board ? visits(unit.board) : [], done: 0, again};
	} catch {
		note(words.sayForged ?? "");
		announce(words.sayForged ?? "");
		return false;
	}
	$("seal").textContent = (seal === "valid" ? words.saySigned : words.sayUnsigned) ?? "";
	const {unit} = on;
	showPrizes(unit.price);
	if (!again) keep(localStorage, memory.watched, {record: unit.record, seen: 0});
	showThrows(0);
	show("throws");
	if (!unit.board) {
		await over();
		return false; // nothing is left to throw
	}
	announce(say(words.sayChests, {square: nameOf(unit.board.start)}));
	hold(true); // no throw before the chests are there
	await island.lay(unit.board, seen === 0);
	hold(false);
	for (; on.done < seen && on.done < on.ways.length; on.done++) island.skip(on.ways[on.done]);
	showThrows(on.done);
	return true;
}

/** One throw: direction, number, way. */
async function throwOnce() {
	if (!on || busy || !on.unit.board) return;
	hold(true);
	const {direction, squares} = on.unit.board.throws[on.done], way = on.ways[on.done];
	const name = words[`direction${direction}`] ?? "";
	try {
		await island.aim(direction, squares, name);
		announce(say(words.sayThrow, {n: on.done + 1, direction: name, squares}));
		showThrows(++on.done);
		await island.walk(way, (v) => announce(say(words.sayChest, {square: nameOf(v.at), what: words[`symbol${v.symbol}`] ?? ""})));
		if (!on.again) keep(localStorage, memory.watched, {record: on.unit.record, seen: on.done});
	} finally {
		hold(false);
	}
	if (on.done === on.ways.length) await over();
}

/** The unit is over, and only now its prize is told (INS-4.5). */
async function over() {
	if (!on) return;
	const {unit, answer, again} = on;
	on = null; // the next may begin, whatever is still shown of this one
	keep(localStorage, memory.watched, undefined);
	show("over");
	$("proof").setAttribute("href", `${words.units}${unit.record}/preuve`);
	if (!again) {
		showBalance(answer.balance);
		showTally();
	}
	$("end").textContent = unit.prize > 0 ? say(words.sayWon, {amount: money(unit.prize)}) : words.sayLost ?? "";
	announce($("end").textContent ?? "");
	if (unit.prize > 0) await congratulate(unit);
	else $("again").focus();
	if (!again) await reality();
}

/** @param {Unit} unit */
async function congratulate(unit) {
	const table = JSON.parse(words.tables ?? "[]").find((/** @type {{price: number}} */ t) => t.price === unit.price);
	const prize = table?.prizes.find((/** @type {{amount: number}} */ p) => p.amount === unit.prize);
	const found = $("won-symbols");
	found.replaceChildren();
	if (prize) {
		for (let i = 0; i < prize.of; i++) found.append(Object.assign(document.createElement("img"), {src: island.art[symbols[prize.symbol]], alt: ""}));
		root.querySelector(`[data-pays="${prize.symbol}x${prize.of}"]`)?.parentElement?.classList.add("made");
	}
	const amount = $("won"), exact = $("won-exact");
	exact.textContent = money(unit.prize);
	amount.textContent = money(unit.prize);
	amount.dataset.cents = String(unit.prize);
	// What is counted is as wide as what it comes to, so that nothing moves.
	amount.style.minWidth = `${money(unit.prize).length}ch`;
	$("won-proof").setAttribute("href", `${words.units}${unit.record}/preuve`);
	const more = unit.prize > unit.price; // no feast for a stake that comes back
	dialogs.win.classList.toggle("quiet", !more);
	if (more) sound.fanfare();
	const closed = new Promise((done) => dialogs.win.addEventListener("close", done, {once: true}));
	dialogs.win.showModal();
	$("won-again").focus();
	if (more) count(amount, unit.prize);
	await closed;
	if (root.dataset.part === "over") $("again").focus();
}

/**
 * Counts up to an amount.
 * @param {HTMLElement} el
 * @param {number} cents
 */
async function count(el, cents) {
	const lasts = 1400;
	const clock = el.animate([], {duration: lasts});
	if (matchMedia("(prefers-reduced-motion: reduce)").matches) clock.finish();
	const tick = () => {
		if (el.dataset.cents !== String(cents)) return; // another unit's amount stands here by now
		const share = clock.playState === "running" ? Number(clock.currentTime) / lasts : 1;
		el.textContent = money(share >= 1 ? cents : Math.floor(cents * (1 - (1 - share) ** 3)));
		if (share < 1) requestAnimationFrame(tick);
	};
	tick();
	await clock.finished.catch(() => undefined);
	if (el.dataset.cents === String(cents)) el.textContent = money(cents);
}

// Asking for a unit.

/** A key that grows with time, as the store likes keys (UUIDv7). */
function newKey() {
	const b = crypto.getRandomValues(new Uint8Array(16));
	new DataView(b.buffer).setUint16(0, Math.floor(Date.now() / 2 ** 32));
	new DataView(b.buffer).setUint32(2, Date.now() >>> 0);
	b[6] = b[6] & 0x0f | 0x70;
	b[8] = b[8] & 0x3f | 0x80;
	const hex = Array.from(b, (x) => x.toString(16).padStart(2, "0")).join("");
	return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/**
 * Sends a command until it is answered: the same key, so one debit however often it arrives.
 * @param {Command} command
 * @returns {Promise<Answer | Refusal>}
 */
async function ask(command) {
	for (let tries = 0; ; tries++) {
		try {
			const response = await fetch(words.play ?? "", {
				method: "POST", headers: {Accept: "application/json"}, signal: AbortSignal.timeout(15_000),
				body: new URLSearchParams({key: command.key, price: String(command.price)}),
			});
			const answer = await response.json();
			// A server that starts or stops has not decided: it is asked again.
			if (response.status < 500) {
				note("");
				return answer;
			}
		} catch {
			// no network, or an answer that was cut: the key makes asking again safe
		}
		note(words.sayOffline ?? "");
		await online(Math.min(8000, 500 * 2 ** tries));
	}
}

/** Waits so many ms, or until the network is said to be back. @param {number} ms */
function online(ms) {
	return new Promise((done) => {
		const over = new AbortController();
		const timer = setTimeout(end, ms);
		addEventListener("online", () => setTimeout(end, 100), {once: true, signal: over.signal});
		function end() {
			clearTimeout(timer);
			over.abort();
			done(undefined);
		}
	});
}

/** @param {Command} command */
async function play(command) {
	if (busy || on) return;
	busy = true;
	counting++; // what is still being counted may count this unit
	keep(sessionStorage, memory.command, command);
	const key = /** @type {HTMLButtonElement} */ ($("start"));
	key.setAttribute("aria-disabled", "true");
	key.classList.add("waiting");
	note("");
	const answer = await ask(command);
	keep(sessionStorage, memory.command, undefined);
	key.removeAttribute("aria-disabled");
	key.classList.remove("waiting");
	if ("sentence" in answer) {
		busy = false;
		note(answer.sentence);
		announce(answer.sentence);
		if (answer.address) location.assign(answer.address);
		return;
	}
	showBalance(answer.during);
	showTally(answer.balance - answer.during);
	announce(say(words.sayDebited, {amount: money(command.price)}));
	if (words.plain === undefined && recall(localStorage, memory.quiet) !== true) await how();
	if (await take(answer)) throwKey.focus();
}

/** How to play; resolves when the window is closed. */
function how() {
	return new Promise((done) => {
		dialogs.how.addEventListener("close", () => {
			if (/** @type {HTMLInputElement} */ ($("how-quiet")).checked) keep(localStorage, memory.quiet, true);
			else keep(localStorage, memory.quiet, undefined);
			done(undefined);
		}, {once: true});
		/** @type {HTMLInputElement} */ ($("how-quiet")).checked = recall(localStorage, memory.quiet) === true;
		dialogs.how.showModal();
	});
}

// The reality check: how long and how much, at the pace that the rules of
// accounts ask; play goes on once it is answered.

/** @returns {Promise<Tally | null>} */
async function tally() {
	try {
		const response = await fetch(words.tally ?? "", {headers: {Accept: "application/json"}, signal: AbortSignal.timeout(8000)});
		return response.ok ? await response.json() : null;
	} catch {
		return null;
	}
}

let counting = 0;

/**
 * Tells what was staked and won since the sign-on, as the balance does.
 * @param {number} [unseen] prize of the unit that is still being shown: not told yet (INS-4.5)
 */
async function showTally(unseen = 0) {
	const mine = ++counting;
	const t = words.player ? await tally() : null;
	if (t && mine === counting) $("tally").textContent = say(words.sayTally, {time: lasting(t.minutes), staked: money(t.staked), won: money(t.won - unseen)});
	return t;
}

async function reality() {
	if (on || busy) return; // a unit whose prize is not told yet counts already
	const t = await showTally();
	if (!t || on || busy) return;
	const every = Number(words.reality) / 60;
	const asked = recall(sessionStorage, memory.reality);
	const since = asked && asked <= t.minutes ? asked : 0;
	if (!every || t.minutes - since < every || dialogs.reality.open) return;
	$("reality-time").textContent = lasting(t.minutes);
	$("reality-units").textContent = String(t.units);
	$("reality-staked").textContent = money(t.staked);
	$("reality-won").textContent = money(t.won);
	$("reality-net").textContent = money(t.won - t.staked);
	const answered = new Promise((done) => dialogs.reality.addEventListener("close", done, {once: true}));
	// With the click: a page that is left before the window is told closed has its answer too.
	$("reality-on").addEventListener("click", () => keep(sessionStorage, memory.reality, t.minutes), {once: true});
	dialogs.reality.showModal();
	await answered;
}

/** @param {number} minutes */
function lasting(minutes) {
	return minutes < 60 ? say(words.sayMinutes, {n: minutes}) : say(words.sayHours, {h: Math.floor(minutes / 60), m: String(minutes % 60).padStart(2, "0")});
}

// Start.

function choosePrice() {
	on = null;
	island.clear();
	note("");
	$("seal").textContent = "";
	const chosen = price();
	if (chosen) showPrizes(chosen);
	show(form ? "price" : "gate");
}

/** The price that is chosen. */
function price() {
	const chosen = /** @type {HTMLInputElement | null} */ (form?.querySelector("input[name=price]:checked"));
	return chosen ? Number(chosen.value) : 0;
}

form?.addEventListener("change", () => {
	showPrizes(price());
	note("");
});
form?.addEventListener("submit", (e) => {
	e.preventDefault();
	play({key: newKey(), price: price()});
});
throwKey.addEventListener("click", throwOnce);
$("again").addEventListener("click", () => {
	if (root.dataset.watch !== undefined) {
		watch();
		return;
	}
	choosePrice();
	$("start")?.focus();
});
$("won-again").addEventListener("click", () => dialogs.win.close());
dialogs.reality.addEventListener("cancel", (e) => e.preventDefault()); // it must be answered
$("reality-on").addEventListener("click", () => dialogs.reality.close());
$("how-close").addEventListener("click", () => dialogs.how.close());
document.getElementById("how-open")?.addEventListener("click", how);

const soundKey = $("sound");
/** @param {boolean} to */
function setSound(to) {
	sound.sound(to);
	soundKey.setAttribute("aria-pressed", String(to));
	keep(localStorage, memory.sound, to || undefined);
}
soundKey.addEventListener("click", () => setSound(soundKey.getAttribute("aria-pressed") !== "true"));
if (recall(localStorage, memory.sound) === true) addEventListener("pointerdown", () => setSound(true), {once: true});

/** Shows the unit of this page again, from its start. */
async function watch() {
	const answer = {record: Number(words.record), text: words.text ?? "", signature: words.signature ?? "", during: 0, balance: 0};
	if (await take(answer, {again: true})) throwKey.focus();
}

/** Offers to go on with what was left: a command without an answer, a unit that was not watched to its end. */
function offer() {
	const command = /** @type {Command | null} */ (recall(sessionStorage, memory.command));
	const left = /** @type {{record: number, seen: number} | null} */ (recall(localStorage, memory.watched));
	if (!form || !(command || left)) return;
	const box = $("resume");
	$("resume-text").textContent = (command ? words.sayCommand : words.sayUnseen) ?? "";
	box.hidden = false;
	announce($("resume-text").textContent ?? "");
	$("resume-no").addEventListener("click", () => {
		box.hidden = true;
		keep(sessionStorage, memory.command, undefined);
		keep(localStorage, memory.watched, undefined);
		$("start").focus();
	}, {once: true});
	$("resume-yes").addEventListener("click", async () => {
		box.hidden = true;
		if (command) return play(command);
		if (!left) return;
		try {
			const response = await fetch(`${words.units}${left.record}`, {headers: {Accept: "application/json"}, signal: AbortSignal.timeout(15_000)});
			const answer = await response.json();
			if (!response.ok) {
				if (response.status < 500) keep(localStorage, memory.watched, undefined);
				note(answer.sentence);
			} else if (await take(answer, {seen: left.seen})) {
				if (left.seen >= 4) await over();
				else throwKey.focus();
			}
		} catch {
			note(words.sayOffline ?? "");
			box.hidden = false;
		}
	});
}

root.classList.add("live");
for (const el of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-script]"))) el.hidden = false;
for (const el of /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll("details[data-told]"))) el.open = false;
if (root.dataset.watch !== undefined) {
	watch();
} else {
	choosePrice();
	offer();
	reality();
	if (words.reality && words.player) setInterval(() => { if (!on && !busy) reality(); }, 60_000);
}
animate(island.totem, [{transform: "translate(-50%, -120%)", opacity: 0}, {transform: "translate(-50%, -66%)", opacity: 1}], {duration: 500, easing: "ease-out"});

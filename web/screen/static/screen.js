// Follows the server and puts the scene of the moment on the page. The words
// are all in the page already: a scene only chooses which of them are seen.

import {clock, potOf, sceneAt, showLasts} from "./scene.js";

/** @typedef {import("./scene.js").State} State */
/** @typedef {import("./scene.js").Result} Result */
/** @typedef {import("./scene.js").Scene} Scene */

const wall = /** @type {HTMLElement} */ (document.querySelector(".wall"));

/** The line is called down after so many ms without a word; the server speaks three times as often. */
const silence = Number(wall.dataset.silence);

/** @type {State | null} */
let state = null;
/** The system's time is performance.now() + ahead, so this machine's clock does not matter. */
let ahead = 0;
/** When the server last spoke, on performance.now(). */
let heard = performance.now();
/** @type {Map<number, number>} */
const shows = new Map();

/**
 * @param {string} selector
 * @param {ParentNode} [within]
 */
const $ = (selector, within = document) => /** @type {HTMLElement} */ (within.querySelector(selector));

/**
 * @param {string} selector
 * @param {string} text
 */
function say(selector, text) {
	const el = /** @type {Element | null} */ (document.querySelector(selector));
	if (el && el.textContent !== text) el.textContent = text;
}

const now = () => performance.now() + ahead;

// The line.

/** @type {EventSource | null} */
let source = null;
let tries = 0;

function connect() {
	source?.close();
	heard = performance.now();
	source = new EventSource(wall.dataset.events ?? "");
	source.addEventListener("state", (e) => receive(JSON.parse(e.data)));
	source.addEventListener("beat", (e) => hear(Number(e.data)));
	source.addEventListener("error", () => {
		// The browser tries again by itself but after an answer that is not a stream (a full or starting server).
		if (source?.readyState === EventSource.CLOSED) retry();
	});
}

let retrying = 0;

function retry() {
	source?.close();
	source = null;
	if (retrying) return;
	// Many screens lose one server at one moment: they come back spread out.
	const wait = Math.min(15_000, 1000 * 2 ** tries++) * (0.5 + Math.random());
	retrying = window.setTimeout(() => {
		retrying = 0;
		connect();
	}, wait);
}

/** @param {number} at */
function hear(at) {
	heard = lastHeard = performance.now();
	ahead = at - heard;
	tries = 0;
}

/** When a word of the server last arrived; unlike heard, a new try does not touch it. */
let lastHeard = performance.now();

/** @param {{at: number, state: State}} event */
function receive({at, state: next}) {
	const gap = state === null || wall.dataset.line === "down";
	hear(at);
	// A new version of this page: nobody else will load it. Not at once again, while nodes of two versions answer.
	if (next.build !== wall.dataset.build && performance.now() > 60_000) {
		location.reload();
		return;
	}
	const newest = next.last[0];
	const known = state?.last.some((r) => r.id === newest?.id) ?? false;
	if (newest && !known && !shows.has(newest.id)) {
		const age = at - newest.drawsAt;
		if (!gap) shows.set(newest.id, at);
		else if (age >= 0 && age < showLasts(next.every)) shows.set(newest.id, newest.drawsAt);
	}
	state = next;
	draw();
}

// The page.

/** @type {Map<string, Element>} */
const lamps = new Map();
for (const el of document.querySelectorAll("[data-lamp]")) lamps.set(el.getAttribute("data-lamp") ?? "", el);

/** What stands on the page, so that it is written only when it changes; null: what the page came with. */
let last = {strip: /** @type {string | null} */ (null), tiers: "", drawn: "", moved: /** @type {string | null} */ (null)};

// The page came with the newest result, for who has no script. With script
// nothing of it is seen before it is known whether its show is over.
for (const el of lamps.values()) el.classList.remove("lit");
$("#last").replaceChildren();
say("#times", "");
document.querySelector(".pot")?.setAttribute("data-empty", "true");

function draw() {
	const quiet = performance.now() - lastHeard;
	wall.dataset.line = quiet > silence ? "down" : "up";
	if (quiet > silence) say("#age", clock(quiet));
	if (performance.now() - heard > silence) retry();
	if (!state) return;

	const at = now(), scene = sceneAt(state, at, shows);
	wall.dataset.phase = scene.phase;
	say("#hours", state.hours);
	say("#hours-of", state.hoursOf);
	say("#opens", state.opens);
	tell(scene, at);
	pot(potOf(state, scene));
	moved(scene);
	light(scene);
	strip(scene);
	tiers(scene);
}

/** The jackpot; while it is not known nothing stands for it. @param {string} text */
function pot(text) {
	if (text) say("#pot", text);
	document.querySelector(".pot")?.setAttribute("data-empty", String(!text));
}

/** Draws that are postponed or cancelled, one after the other. @param {Scene} scene */
function moved(scene) {
	const list = scene.phase === "draw" || scene.phase === "prizes" ? [] : state?.moved ?? [];
	const signature = list.map((m) => m.text).join("\n");
	if (signature !== last.moved) {
		last.moved = signature;
		$("#moved").replaceChildren(...list.map((m, i) => {
			const row = document.createElement("li");
			row.textContent = m.text;
			if (list.length > 1) {
				const place = document.createElement("small");
				place.textContent = `${i + 1}/${list.length}`;
				row.append(" ", place);
			}
			return row;
		}));
	}
	const seen = Math.floor(performance.now() / 6000) % Math.max(1, list.length);
	[...$("#moved").children].forEach((row, i) => row.toggleAttribute("hidden", i !== seen));
}

/**
 * The ring and the draw that it counts to.
 * @param {Scene} scene
 * @param {number} at
 */
function tell(scene, at) {
	const left = Math.max(0, scene.until - at);
	say("#left", clock(left));
	$("#ring-left").setAttribute("stroke-dashoffset", String(Math.round(1000 * (1 - Math.min(1, left / scene.span))) / 10));
	wall.classList.toggle("soon", scene.phase === "selling" && left < 15_000);
	const of = scene.draw ?? scene.result;
	if (of) {
		for (const el of document.querySelectorAll(".number")) el.textContent = String(of.number);
		say("#time", paris(of.drawsAt));
	}
	$(".ribbon").hidden = !scene.result && scene.phase !== "closed" && scene.phase !== "drawing"; // before the first draw there is no result to name
	say("#clock", paris(at));
	if (scene.result) for (const el of document.querySelectorAll(".last-number")) el.textContent = String(scene.result.number);
}

const hands = new Intl.DateTimeFormat(document.documentElement.lang === "en" ? "en-GB" : "fr-FR",
	{timeZone: wall.dataset.zone, hour: "2-digit", minute: "2-digit"});

/** @param {number} at */
const paris = (at) => hands.format(at);

/**
 * The lamps of the map, the pirates and the list of what is drawn.
 * @param {Scene} scene
 */
function light(scene) {
	const drawn = scene.result ? scene.result.sets.flat().slice(0, scene.lit) : [];
	const spins = scene.phase === "drawing" || scene.phase === "draw" && !(scene.result && drawn.length === scene.result.sets.flat().length && (scene.times > 0 || !scene.result.times));
	wall.classList.toggle("spins", spins);
	const signature = `${scene.result?.id}:${drawn.join()}:${scene.times}:${scene.phase}`;
	if (signature === last.drawn) return;
	last.drawn = signature;
	for (const [key, el] of lamps) {
		const order = drawn.indexOf(key);
		el.classList.toggle("lit", order >= 0);
		el.classList.toggle("newest", scene.phase === "draw" && order >= 0 && order === drawn.length - 1);
		const badge = el.querySelector(".order");
		if (badge) badge.textContent = order >= 0 ? String(order + 1) : "";
	}
	for (const reel of document.querySelectorAll(".reel")) reel.classList.toggle("stopped", reel.querySelector(".lit") !== null);
	$("#side").classList.toggle("stepped", drawn.some((key) => lamps.get(key)?.closest("#side")));
	list(drawn.filter((key) => !lamps.get(key)?.closest("#side")));
	const hidden = scene.phase === "drawing" || scene.phase === "draw" && scene.times === 0;
	say("#times", scene.times > 0 ? `×${scene.times}` : hidden ? "×?" : "");
	document.querySelector("#times")?.classList.toggle("known", scene.times > 0);
	if (scene.result && drawn.length === scene.result.sets.flat().length && (scene.times > 0 || !scene.result.times)) {
		const names = drawn.map((key) => lamps.get(key)?.getAttribute("data-name") ?? key);
		if (scene.times > 0) names.push(`×${scene.times}`);
		say("#spoken", `${scene.result.number}: ${names.join(", ")}`);
	}
}

/**
 * The list of what is drawn. Rows that stand already are left alone: only a new one arrives.
 * @param {string[]} keys
 */
function list(keys) {
	const rows = $("#drawn");
	keys.forEach((key, i) => {
		const old = rows.children[i];
		if (old?.getAttribute("data-key") === key) return;
		while (rows.children.length > i) rows.lastChild?.remove();
		const row = document.createElement("li");
		row.dataset.key = key;
		if (drawing(key)) row.append(String(i + 1), art(key), lamps.get(key)?.getAttribute("data-name") ?? key);
		else row.append(art(key));
		rows.classList.toggle("numbers", !drawing(key));
		rows.append(row);
	});
	while (rows.children.length > keys.length) rows.lastChild?.remove();
}

/** The address of a lamp's drawing, if it has one. @param {string} key */
const drawing = (key) => lamps.get(key)?.getAttribute("data-art") ?? "";

/** The drawing of a lamp, or its name on a ball. @param {string} key */
function art(key) {
	if (!drawing(key)) {
		const ball = document.createElement("span");
		ball.className = lamps.get(key)?.closest("#side") ? "ball gold lit" : "ball lit";
		ball.textContent = lamps.get(key)?.getAttribute("data-name") ?? key;
		return ball;
	}
	const img = document.createElement("img");
	img.src = lamps.get(key)?.getAttribute("data-art") ?? "";
	img.alt = lamps.get(key)?.getAttribute("data-name") ?? key;
	return img;
}

/**
 * The newest six results seen, so that five are left while one is being shown.
 * @type {Map<number, Result>}
 */
let seen = new Map();

/**
 * The last five results. The draw that is being shown joins them when its show is over.
 * @param {Scene} scene
 */
function strip(scene) {
	for (const r of state?.last ?? []) seen.set(r.id, r);
	const results = [...seen.values()].sort((a, b) => b.id - a.id).slice(0, 6);
	seen = new Map(results.map((r) => [r.id, r]));
	if (scene.phase === "draw" && results[0]?.id === scene.result?.id) results.shift();
	const signature = results.map((r) => r.id).join();
	if (signature === last.strip) return;
	last.strip = signature;
	$("#last").replaceChildren(...results.slice(0, 5).map((r) => {
		const card = document.createElement("li");
		const head = document.createElement("h3"), time = document.createElement("small");
		time.textContent = r.time;
		head.append((wall.dataset.number ?? "#").replace("#", String(r.number)), time);
		const row = document.createElement("p");
		row.append(...r.sets.flat().map(art));
		if (r.times > 0) {
			const times = document.createElement("b");
			times.className = "times known";
			times.textContent = `×${r.times}`;
			row.append(times);
		}
		card.append(head, row);
		card.dataset.draw = String(r.id);
		return card;
	}));
}

/**
 * The prizes of the newest result, once its settlement stands. They stay in the
 * panel when their time is over, for it fades.
 * @param {Scene} scene
 */
function tiers(scene) {
	const result = scene.result;
	if (scene.phase !== "prizes" || !result) return;
	const signature = `${result.id}:${result.tiers !== null}`;
	if (signature === last.tiers) return;
	last.tiers = signature;
	say("#outcome", result.outcome?.text ?? "");
	document.querySelector("#outcome")?.setAttribute("data-end", result.outcome?.end ?? "");
	wall.classList.toggle("settled", result.tiers !== null);
	const rows = (result.tiers ?? []).map((tier) => {
		const row = document.createElement("tr");
		row.classList.toggle("won", tier.won);
		for (const text of [...tier.hits, tier.prize, tier.winners]) {
			const cell = document.createElement("td");
			cell.textContent = text;
			row.append(cell);
		}
		return row;
	});
	$("#tiers tbody").replaceChildren(...rows);
}

connect();
draw();
window.setInterval(draw, 200);

// The island: squares, totem, chests, compass and what is found, on the page.
// How long anything takes follows from the route and from nothing else, so that
// the eye learns of a chest when it opens and not before.

import {columns, symbols} from "./unit.js";
import * as sound from "./sound.js";

/** @typedef {import("./unit.js").Board} Board */
/** @typedef {import("./unit.js").Visit} Visit */

/** The drawing of the island: its size, its first square, and the side of squares. */
const drawing = {width: 1100, height: 880, left: 100, top: 90, side: 100};

/** How long things take, in ms. */
const swingLasts = 1500, rollLasts = 1100, stepLasts = 330, openLasts = 520, flyLasts = 650, sailLasts = 600, dropLasts = 420;

const still = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * Animates an element, unless its viewer wants things to keep still; resolves at its end.
 * @param {Element} el
 * @param {Keyframe[]} frames
 * @param {KeyframeAnimationOptions} options
 */
export async function animate(el, frames, options) {
	if (still.matches) return;
	try {
		await el.animate(frames, options).finished;
	} catch {
		// cancelled: what is to be seen at its end is set all the same
	}
}

/** @param {number} ms */
const wait = (ms) => animate(document.body, [], ms === 0 ? {} : {duration: ms});

/**
 * The middle of a square, in shares of the drawing.
 * @param {number} at
 */
function middle(at) {
	return {
		x: (drawing.left + (at % columns + 0.5) * drawing.side) / drawing.width,
		y: (drawing.top + (Math.floor(at / columns) + 0.5) * drawing.side) / drawing.height,
	};
}

export class Island {
	/** @param {HTMLElement} root the scene */
	constructor(root) {
		const find = (/** @type {string} */ css) => /** @type {HTMLElement} */ (root.querySelector(css));
		this.root = root;
		this.map = find(".isle-map");
		this.tokens = find(".isle-tokens");
		this.needle = find(".isle-needle");
		this.dial = find(".isle-dial");
		this.counter = find(".isle-counter");
		/** Addresses of drawings, by name. */
		this.art = /** @type {Record<string, string>} */ ({...this.tokens.dataset});
		for (const src of Object.values(this.art)) new Image().src = src;
		this.turned = 0;
		this.at = Number(root.dataset.rest);
		/** @type {Map<number, HTMLElement>} */
		this.chests = new Map();
		this.totem = this.token("totem", "totem", this.at);
	}

	/**
	 * Puts a drawing on a square.
	 * @param {string} kind
	 * @param {string} art
	 * @param {number} at
	 */
	token(kind, art, at) {
		const el = document.createElement("div");
		el.className = `token token-${kind}`;
		const img = document.createElement("img");
		img.src = this.art[art];
		img.alt = "";
		el.append(img);
		this.place(el, at);
		this.tokens.append(el);
		return el;
	}

	/**
	 * @param {HTMLElement} el
	 * @param {number} at
	 */
	place(el, at) {
		const {x, y} = middle(at);
		el.style.left = `${100 * x}%`;
		el.style.top = `${100 * y}%`;
		el.style.zIndex = String(10 + Math.floor(at / columns) * 2 + (el.classList.contains("token-totem") ? 1 : 0));
	}

	/** Takes all off the island but the totem. */
	clear() {
		for (const el of this.tokens.querySelectorAll(".token:not(.token-totem)")) el.remove();
		this.chests.clear();
		for (const el of this.root.querySelectorAll(".found")) el.remove();
		for (const el of this.root.querySelectorAll(".full, .taken, .made")) el.classList.remove("full", "taken", "made");
		this.counter.textContent = "–";
		this.dial.querySelector(".on")?.classList.remove("on");
	}

	/**
	 * Nine chests appear, and the totem sails to where its way begins.
	 * @param {Board} board
	 * @param {boolean} [slowly]
	 */
	async lay(board, slowly = true) {
		this.clear();
		const drops = board.chests.map(({at}, i) => {
			const el = this.token("chest", "chest", at);
			this.chests.set(at, el);
			return slowly ? animate(el, [{transform: "translate(-50%, -170%)", opacity: 0}, {transform: "translate(-50%, -44%)", opacity: 1, offset: 0.75}, {transform: "translate(-50%, -50%)"}],
				{duration: dropLasts, delay: 90 * i, easing: "cubic-bezier(.3,.1,.4,1)", fill: "backwards"}) : undefined;
		});
		await Promise.all([this.move(board.start, slowly ? sailLasts : 0, true), ...drops]);
	}

	/**
	 * @param {number} to
	 * @param {number} lasts
	 * @param {boolean} [high] leaps rather than steps
	 */
	async move(to, lasts, high = false) {
		const from = middle(this.at), next = middle(to);
		const box = this.tokens.getBoundingClientRect();
		const dx = (from.x - next.x) * box.width, dy = (from.y - next.y) * box.height;
		this.at = to;
		this.place(this.totem, to);
		if (lasts === 0 || (dx === 0 && dy === 0)) return;
		const hop = (high ? 0.9 : 0.2) * box.height * drawing.side / drawing.height;
		const base = "translate(-50%, -66%)";
		const img = /** @type {HTMLElement} */ (this.totem.firstElementChild);
		animate(img, [{transform: "none"}, {transform: `translateY(${-hop}px) scale(1.04, .98)`}, {transform: "none", offset: 0.85}, {transform: "scale(1.05, .93)", offset: 0.92}, {transform: "none"}], {duration: lasts, easing: "ease-in-out"});
		await animate(this.totem, [{transform: `translate(${dx}px, ${dy}px) ${base}`}, {transform: base}], {duration: lasts, easing: high ? "ease-in-out" : "cubic-bezier(.4,0,.5,1)"});
	}

	/**
	 * The needle swings to a direction, and the counter rolls to a number.
	 * @param {number} direction
	 * @param {number} squares
	 * @param {string} name of the direction
	 */
	async aim(direction, squares, name) {
		this.dial.querySelector(".on")?.classList.remove("on");
		this.counter.textContent = "";
		const target = (direction - 1) * 45;
		const from = this.turned, to = from - from % 360 + 720 + target;
		this.turned = to;
		this.needle.style.transform = `rotate(${to}deg)`;
		this.needle.dataset.direction = name;
		sound.swing();
		await animate(this.needle, [{transform: `rotate(${from}deg)`}, {transform: `rotate(${to + 9}deg)`, offset: 0.82}, {transform: `rotate(${to - 4}deg)`, offset: 0.92}, {transform: `rotate(${to}deg)`}],
			{duration: swingLasts, easing: "cubic-bezier(.2,.6,.3,1)"});
		this.dial.querySelector(`[data-direction="${direction}"]`)?.classList.add("on");
		const reel = document.createElement("span");
		reel.className = "isle-reel";
		reel.setAttribute("aria-hidden", "true");
		if (!still.matches) {
			const order = [...Array.from({length: 12}, (_, i) => i % 6 + 1), squares];
			reel.append(...order.map((n) => Object.assign(document.createElement("i"), {textContent: String(n)})));
			this.counter.replaceChildren(reel);
			await animate(reel, [{transform: "none"}, {transform: `translateY(${-100 * (order.length - 1) / order.length}%)`}], {duration: rollLasts, easing: "cubic-bezier(.15,.7,.25,1)", fill: "forwards"});
		}
		this.counter.textContent = String(squares);
	}

	/**
	 * The totem goes its way, square by square; each chest that it comes to opens.
	 * @param {Visit[]} way
	 * @param {(v: Visit) => void} opened
	 */
	async walk(way, opened) {
		const flights = [];
		for (const [i, v] of way.entries()) {
			this.trail(this.at, v.at);
			await this.move(v.at, stepLasts);
			sound.step();
			if (!v.opens) continue;
			flights.push(this.open(v));
			opened(v);
			await wait(i < way.length - 1 ? openLasts : openLasts + flyLasts);
		}
		await Promise.all(flights); // what was found has landed before anything is told of it
	}

	/**
	 * @param {number} from
	 * @param {number} to
	 */
	trail(from, to) {
		for (const share of [0.2, 0.4, 0.6, 0.8, 1]) {
			const a = middle(from), b = middle(to), el = document.createElement("div");
			el.className = "token trail";
			el.style.left = `${100 * (a.x + (b.x - a.x) * share)}%`;
			el.style.top = `${100 * (a.y + (b.y - a.y) * share)}%`;
			this.tokens.append(el);
		}
	}

	/**
	 * A chest opens: a cross is shown, or a symbol flies to what was found.
	 * @param {Visit} v
	 * @param {boolean} [slowly]
	 */
	async open(v, slowly = true) {
		const chest = this.chests.get(v.at);
		if (!chest) return;
		const img = /** @type {HTMLImageElement} */ (chest.firstElementChild);
		const name = symbols[v.symbol];
		img.src = this.art[v.symbol === 0 ? "chestEmpty" : "chestOpen"];
		chest.classList.add("open");
		const what = document.createElement("img");
		what.src = this.art[name];
		what.alt = "";
		what.className = v.symbol === 0 ? "held cross" : "held";
		chest.append(what);
		if (!slowly) {
			this.find(v.symbol);
			return;
		}
		sound.creak();
		animate(img, [{transform: "scale(1)"}, {transform: "scale(1.18, .86)", offset: 0.3}, {transform: "scale(.94, 1.1)", offset: 0.6}, {transform: "none"}], {duration: openLasts, easing: "ease-out"});
		animate(what, [{transform: "translate(-50%, -10%) scale(.2)", opacity: 0}, {transform: "translate(-50%, -72%) scale(1.15)", opacity: 1, offset: 0.7}], {duration: openLasts, easing: "ease-out"});
		await this.fly(what, v.symbol);
	}

	/**
	 * A copy of what a chest held flies to its slot.
	 * @param {HTMLElement} from
	 * @param {number} symbol
	 */
	async fly(from, symbol) {
		const slot = this.free(symbol);
		if (!slot || still.matches) return this.find(symbol);
		slot.classList.add("taken");
		await wait(openLasts);
		const a = from.getBoundingClientRect(), b = slot.getBoundingClientRect();
		const copy = document.createElement("img");
		copy.src = this.art[symbols[symbol]];
		copy.alt = "";
		copy.className = "isle-flight";
		copy.style.left = `${a.left}px`;
		copy.style.top = `${a.top}px`;
		copy.style.width = `${a.width}px`;
		document.body.append(copy);
		const dx = b.left + b.width / 2 - a.left - a.width / 2, dy = b.top + b.height / 2 - a.top - a.height / 2;
		await animate(copy, [{transform: "none"}, {transform: `translate(${dx / 2}px, ${dy / 2 - 70}px) scale(1.5)`, offset: 0.5}, {transform: `translate(${dx}px, ${dy}px) scale(${b.width / a.width})`}], {duration: flyLasts, easing: "ease-in-out"});
		copy.remove();
		slot.classList.remove("taken");
		this.fill(slot, symbol);
	}

	/** @param {number} symbol */
	free(symbol) {
		return /** @type {HTMLElement | null} */ (this.root.querySelector(`.slots[data-symbol="${symbol}"] .slot:not(.full):not(.taken)`));
	}

	/**
	 * @param {HTMLElement} slot
	 * @param {number} symbol
	 */
	fill(slot, symbol) {
		const img = document.createElement("img");
		img.src = this.art[symbols[symbol]];
		img.alt = "";
		img.className = "found";
		slot.classList.add("full");
		slot.append(img);
		animate(img, [{transform: "scale(1.5)"}, {transform: "none"}], {duration: 220, easing: "ease-out"});
	}

	/**
	 * What a chest held stands among what was found.
	 * @param {number} symbol
	 */
	find(symbol) {
		const slot = this.free(symbol);
		if (slot) this.fill(slot, symbol);
	}

	/**
	 * Shows a throw that was seen before, at once.
	 * @param {Visit[]} way
	 */
	skip(way) {
		for (const v of way) {
			this.trail(this.at, v.at);
			this.at = v.at;
			if (v.opens) this.open(v, false);
		}
		this.place(this.totem, this.at);
	}
}

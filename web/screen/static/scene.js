// The screen of a café wall: it follows the server's events and turns them,
// with the time of day, into one scene. Nothing is shown that no event has
// told: what a lamp lights comes from a result record and from nowhere else.

/**
 * @typedef {{id: number, number: number, closesAt: number, drawsAt: number, pot: string}} Draw
 * @typedef {{hits: string[], prize: string, winners: string, won: boolean}} Tier
 * @typedef {{id: number, number: number, time: string, drawsAt: number, sets: string[][], times: number, pot: string,
 *   tiers: Tier[] | null, outcome: {end: string, text: string} | null}} Result
 * @typedef {{build: string, every: number, stopped: boolean, opensAt: number, opens: string,
 *   next: Draw | null, waiting: Draw | null, last: Result[], moved: {id: number, text: string}[], hours: string, hoursOf: string}} State
 * @typedef {{phase: "line" | "off" | "stopped" | "selling" | "closed" | "drawing" | "draw" | "prizes",
 *   draw: Draw | null, result: Result | null, lit: number, times: number, until: number, span: number}} Scene
 */

/** Shares of the draw's show: when the first lamp lights, when the last one, when the last set steps forward, when the multiplier does. */
const firstLamp = 0.08, lastLamp = 0.74, pirateAt = 0.86, timesAt = 0.93;

/**
 * How long the show of a result lasts, in ms: a third of the time between two
 * draws, 25 s at most, so that it ends before the next close of a fast game.
 * @param {number} every
 */
export function showLasts(every) {
	return Math.min(25_000, Math.max(6_000, every / 3));
}

/**
 * How long the prizes stay, in ms.
 * @param {number} every
 */
function prizesLast(every) {
	return Math.min(30_000, Math.max(4_000, every / 5));
}

/**
 * How many elements of a result are lit when a share of its show has passed.
 * The elements are counted in the order drawn, set after set; those of the last set step forward at the end.
 * @param {string[][]} sets
 * @param {number} share
 */
export function litAfter(sets, share) {
	const tail = sets.length > 1 ? sets[sets.length - 1].length : 0;
	const head = sets.flat().length - tail;
	if (share >= pirateAt) return head + tail;
	if (share < firstLamp) return 0;
	const step = head > 1 ? (lastLamp - firstLamp) / (head - 1) : 1;
	return Math.min(head, 1 + Math.floor((share - firstLamp) / step + 1e-9));
}

/**
 * What to show at a moment. Shows holds, by draw id, when the show of its result began.
 * @param {State} state
 * @param {number} now the system's time, in ms
 * @param {Map<number, number>} shows
 * @returns {Scene}
 */
export function sceneAt(state, now, shows) {
	const newest = state.last[0] ?? null;
	const rest = {lit: newest ? newest.sets.flat().length : 0, times: newest?.times ?? 0, until: 0, span: 1, draw: null, result: newest};
	const began = newest ? shows.get(newest.id) : undefined;
	if (newest && began !== undefined) {
		const show = showLasts(state.every), passed = now - began;
		if (passed < show) {
			const share = passed / show;
			return {...rest, phase: "draw", lit: litAfter(newest.sets, share), times: share < timesAt ? 0 : newest.times};
		}
		const closing = state.waiting ?? state.next;
		if (passed < show + prizesLast(state.every) && !(closing && now >= closing.closesAt)) {
			return {...rest, phase: "prizes"};
		}
	}
	if (state.stopped) return {...rest, phase: "stopped"};
	if (state.waiting) return closed(state.waiting, now);
	if (!state.next) return {...rest, phase: "off", until: state.opensAt};
	if (now >= state.next.closesAt) return closed(state.next, now);
	const span = Math.max(1, state.every - (state.next.drawsAt - state.next.closesAt));
	return {...rest, phase: "selling", draw: state.next, until: state.next.closesAt, span};
}

/**
 * The moments between a draw's close and its result: the lamps are out.
 * @param {Draw} draw
 * @param {number} now
 * @returns {Scene}
 */
function closed(draw, now) {
	const dark = {result: null, lit: 0, times: 0, draw, until: draw.drawsAt, span: Math.max(1, draw.drawsAt - draw.closesAt)};
	return {...dark, phase: now < draw.drawsAt ? "closed" : "drawing"};
}

/**
 * The jackpot that a scene names: that of the draw being shown or waited for,
 * else of the next one; while a draw is shown nothing tells what comes of it.
 * @param {State} state
 * @param {Scene} scene
 */
export function potOf(state, scene) {
	if (scene.phase === "draw") return scene.result?.pot ?? "";
	return (scene.draw ?? state.next)?.pot ?? "";
}

/**
 * Writes a time left: "4:05", "12", "3 h 20".
 * @param {number} ms
 */
export function clock(ms) {
	const s = Math.max(0, Math.ceil(ms / 1000));
	const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
	if (s >= 3600) return `${Math.floor(s / 3600)} h ${two(Math.floor(s / 60) % 60)}`;
	return `${Math.floor(s / 60)}:${two(s % 60)}`;
}

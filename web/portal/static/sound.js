// The sounds of the game, made as they are heard. They are off until asked for,
// and none tells what a chest holds.

/** @type {AudioContext | null} */
let audio = null;

/** @param {boolean} on */
export function sound(on) {
	if (!on) {
		audio?.close();
		audio = null;
		return;
	}
	audio ??= new AudioContext();
}

/**
 * @param {number} pitch in Hz
 * @param {number} at seconds from now
 * @param {number} lasts in seconds
 * @param {OscillatorType} shape
 * @param {number} loud
 */
function note(pitch, at, lasts, shape, loud) {
	if (!audio) return;
	const start = audio.currentTime + at, voice = audio.createOscillator(), gain = audio.createGain();
	voice.type = shape;
	voice.frequency.setValueAtTime(pitch, start);
	gain.gain.setValueAtTime(0, start);
	gain.gain.linearRampToValueAtTime(loud, start + 0.01);
	gain.gain.exponentialRampToValueAtTime(0.0001, start + lasts);
	voice.connect(gain).connect(audio.destination);
	voice.start(start);
	voice.stop(start + lasts);
}

/** The needle swings, passing its marks. */
export function swing() {
	for (let i = 0; i < 14; i++) note(900, 1.2 * (1 - (1 - i / 14) ** 0.6), 0.04, "square", 0.02);
}

/** The totem sets its foot on a square. */
export const step = () => note(150, 0, 0.12, "triangle", 0.2);

/** A chest opens, whatever it holds. */
export function creak() {
	note(320, 0, 0.12, "triangle", 0.1);
	note(480, 0.09, 0.22, "triangle", 0.1);
}

/** A unit has won. */
export function fanfare() {
	[523, 659, 784, 1047].forEach((pitch, i) => note(pitch, i * 0.12, 0.5, "triangle", 0.16));
}

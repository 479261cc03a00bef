// The sound of a ticket that has won: the player hears what the shopkeeper is told
// (F24). It may be switched off; the strip shows the amount always.
// @ts-check

const box = /** @type {HTMLInputElement} */ (document.getElementById("sound"));

/** A short fanfare, made as it is heard. */
function fanfare() {
  const audio = new AudioContext();
  [523, 659, 784, 1047].forEach((pitch, i) => {
    const start = audio.currentTime + i * 0.12, voice = audio.createOscillator(), gain = audio.createGain();
    voice.type = "triangle";
    voice.frequency.setValueAtTime(pitch, start);
    gain.gain.setValueAtTime(0, start);
    gain.gain.linearRampToValueAtTime(0.2, start + 0.01);
    gain.gain.exponentialRampToValueAtTime(0.0001, start + 0.5);
    voice.connect(gain).connect(audio.destination);
    voice.start(start);
    voice.stop(start + 0.5);
  });
  document.body.dataset.sounded = audio.state;
}

box.checked = localStorage.getItem("sound") !== "off";
/** @type {HTMLElement} */ (box.closest("label")).hidden = false;
box.addEventListener("change", () => {
  localStorage.setItem("sound", box.checked ? "on" : "off");
  if (box.checked) fanfare(); // so loud it is
});
if (box.checked && document.querySelector("[data-fanfare]")) fanfare();

// Reads the QR code of a ticket from a photo, where the browser can. Elsewhere nothing is offered.
const box = /** @type {HTMLElement} */ (document.querySelector(".photo"));
const file = /** @type {HTMLInputElement} */ (document.querySelector("#photo"));
const code = /** @type {HTMLInputElement} */ (document.querySelector("#code"));
const said = /** @type {HTMLElement} */ (document.querySelector("#read"));
const Detector = /** @type {any} */ (globalThis).BarcodeDetector;

/** The code of a ticket in what its QR says: the text itself, or the last word of an address. @param {string} text */
const codeOf = (text) => (text.split(/[\s=/#?]+/).pop() ?? "").slice(0, 60);

async function read() {
  const photo = file.files?.[0];
  if (!photo) return;
  said.textContent = "";
  try {
    const found = await new Detector({ formats: ["qr_code"] }).detect(await createImageBitmap(photo));
    if (found.length > 0) {
      code.value = codeOf(found[0].rawValue);
      /** @type {HTMLFormElement} */ (code.form).requestSubmit();
      return;
    }
  } catch { /* no picture, or none that it reads */ }
  said.textContent = file.dataset.sayNone ?? "";
}

async function offer() {
  if (!Detector) return;
  try {
    if (!(await Detector.getSupportedFormats()).includes("qr_code")) return;
  } catch { return; }
  box.hidden = false;
  file.addEventListener("change", read);
}
offer();

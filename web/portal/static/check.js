// Reads the QR code of a ticket from a photo here, where the browser can: then the photo is not sent.
const form = /** @type {HTMLFormElement} */ (document.querySelector("#photographed"));
const file = /** @type {HTMLInputElement} */ (document.querySelector("#photo"));
const code = /** @type {HTMLInputElement} */ (document.querySelector("#code"));
const Detector = /** @type {any} */ (globalThis).BarcodeDetector;

/** The code of a ticket in what its QR says: the text itself, or the last word of an address. @param {string} text */
const codeOf = (text) => (text.split(/[\s=/#?]+/).pop() ?? "").slice(0, 60);

/** @returns {Promise<string>} what the QR code of the photo says; "": nothing is read here */
async function read() {
  const photo = file.files?.[0];
  if (!photo || !Detector) return "";
  try {
    if (!(await Detector.getSupportedFormats()).includes("qr_code")) return "";
    const found = await new Detector({ formats: ["qr_code"] }).detect(await createImageBitmap(photo));
    return found[0]?.rawValue ?? "";
  } catch { return ""; } // no picture, or none that it reads: the server tells
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = await read();
  if (/(^|\/t\/)[0-9A-Za-z-]+$/.test(text)) {
    code.value = codeOf(text);
    /** @type {HTMLFormElement} */ (code.form).requestSubmit();
    return;
  }
  form.submit();
});

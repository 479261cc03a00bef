// Asks the browser for a passkey, new or to sign on, and sends its answer as a form.
// Asked at once: the form before was sent for that; the button asks again.
const box = /** @type {HTMLFormElement} */ (document.querySelector("form[data-passkey]"));
const said = /** @type {HTMLElement} */ (document.querySelector("#passkey-said"));
const again = /** @type {HTMLButtonElement} */ (box.querySelector("button"));
const answer = /** @type {HTMLInputElement} */ (box.querySelector("[name=answer]"));

/** @param {string} text base64url */
const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
/** @param {ArrayBuffer | null} buffer */
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer ?? new ArrayBuffer(0)))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** What the browser is asked: the options of the page, with bytes where they are bytes. */
function options() {
  const o = JSON.parse(box.dataset.options ?? "{}");
  o.challenge = bytes(o.challenge);
  if (o.user) o.user.id = bytes(o.user.id);
  for (const c of o.excludeCredentials ?? []) c.id = bytes(c.id);
  return o;
}

/** The answer as JSON (WebAuthn level 3, §5.1), without extensions. @param {any} c */
function written(c) {
  const response = { clientDataJSON: text(c.response.clientDataJSON) };
  if (box.dataset.passkey === "create") Object.assign(response, { attestationObject: text(c.response.attestationObject), transports: c.response.getTransports?.() ?? [] });
  else Object.assign(response, { authenticatorData: text(c.response.authenticatorData), signature: text(c.response.signature), userHandle: text(c.response.userHandle) });
  return JSON.stringify({ id: c.id, rawId: text(c.rawId), type: c.type, response, clientExtensionResults: {} });
}

async function ask() {
  again.disabled = true;
  said.textContent = box.dataset.sayAsk ?? "";
  try {
    const publicKey = options();
    const c = box.dataset.passkey === "create" ? await navigator.credentials.create({ publicKey }) : await navigator.credentials.get({ publicKey });
    answer.value = written(c);
    box.submit();
  } catch (e) {
    again.disabled = false;
    said.textContent = (/** @type {Error} */ (e).name === "InvalidStateError" ? box.dataset.sayHas : box.dataset.sayNot) ?? "";
  }
}

if (globalThis.PublicKeyCredential) {
  box.hidden = false;
  box.addEventListener("submit", (e) => { e.preventDefault(); ask(); });
  if (!document.querySelector(".refusal")) ask(); // what was just refused would be given again, without end
} else {
  said.textContent = box.dataset.sayNone ?? "";
}

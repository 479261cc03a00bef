// The page that scans, with script: the camera, photos dropped or pasted, and
// photos that a browser can show but the server cannot read. And the keys of
// the answers about a box. Without it a photo is chosen and sent.
// @ts-check

/** @template {HTMLElement} T @param {string} id @returns {T} */
const at = (id) => /** @type {T} */ (document.getElementById(id));

/** Longest side of what is sent, in pixels: a pen's stroke is many of them. */
const longest = 4000;
/** Of a picture of the camera. */
const longestFrame = 1920;
/** Between two pictures of the camera, in ms: at most two a second. */
const pace = 500;
/** Pictures with unsure boxes are followed by so many others, for a better one. */
const patience = 3;

const view = document.getElementById("view");
if (view) scanning(view);

/** @param {HTMLElement} view */
function scanning(view) {
  const form = /** @type {HTMLFormElement} */ (at("photoform"));
  const photo = /** @type {HTMLInputElement} */ (at("photo"));
  const hint = at("hint");
  const say = (/** @type {string} */ text) => { if (hint.textContent !== text) hint.textContent = text; };
  for (const el of document.querySelectorAll(".scripted")) /** @type {HTMLElement} */ (el).hidden = false;
  at("send").hidden = true;

  /** @param {Blob} blob */
  function send(blob) {
    const files = new DataTransfer();
    files.items.add(new File([blob], "photo", {type: blob.type}));
    photo.files = files.files;
    say(hint.dataset.reading ?? "");
    form.requestSubmit();
  }
  form.addEventListener("stays", () => {
    say("");
    photo.value = "";
  });

  /** Sends a photo as one that the server reads. @param {File} file */
  async function take(file) {
    if (/^image\/(jpeg|png)$/.test(file.type) && file.size < 8 << 20) return send(file);
    try {
      const picture = await createImageBitmap(file);
      send(await draw(picture, picture.width, picture.height, longest, 0.9));
    } catch {
      say(hint.dataset.damaged ?? "");
      photo.value = "";
    }
  }

  photo.addEventListener("change", () => {
    if (photo.files?.[0]) void take(photo.files[0]);
  });
  document.addEventListener("paste", (event) => {
    const file = [...(event.clipboardData?.files ?? [])].find((f) => f.type.startsWith("image/"));
    if (!file) return;
    event.preventDefault();
    void take(file);
  });
  for (const name of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      view.classList.toggle("over", name === "dragover");
      const file = name === "drop" ? /** @type {DragEvent} */ (event).dataTransfer?.files[0] : undefined;
      if (file) void take(file);
    });
  }
  camera(view, say, send);
}

/**
 * Draws a picture no larger than allowed, as JPEG.
 * @param {CanvasImageSource} source @param {number} width @param {number} height @param {number} most @param {number} quality
 * @returns {Promise<Blob>}
 */
function draw(source, width, height, most, quality) {
  const scale = Math.min(1, most / Math.max(width, height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.getContext("2d")?.drawImage(source, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/jpeg", quality));
}

/** @param {HTMLElement} view @param {(text: string) => void} say @param {(blob: Blob) => void} send */
function camera(view, say, send) {
  const key = /** @type {HTMLButtonElement} */ (at("camera")), video = /** @type {HTMLVideoElement} */ (at("video"));
  const words = at("hint").dataset, label = key.querySelector("span"), start = label?.textContent ?? "";
  /** @type {MediaStream | null} */
  let stream = null;
  let asking = false; // the browser asks, or opens the camera
  let wanted = false;
  if (!navigator.mediaDevices) {
    key.hidden = true;
    return;
  }

  function stop() {
    wanted = false;
    stream?.getTracks().forEach((track) => track.stop());
    stream = null;
    video.hidden = true;
    at("drop").hidden = false;
    key.setAttribute("aria-pressed", "false");
    if (label) label.textContent = start;
    say("");
  }

  async function open() {
    wanted = true;
    if (asking) return;
    asking = true;
    try {
      stream = await navigator.mediaDevices.getUserMedia({audio: false, video: {facingMode: "environment", width: {ideal: longestFrame}, height: {ideal: 1080}}});
    } catch {
      wanted = false;
      say(words.denied ?? "");
      return;
    } finally {
      asking = false;
    }
    if (!wanted) return stop(); // meanwhile the key was pressed again, or the page left
    video.srcObject = stream;
    video.hidden = false;
    at("drop").hidden = true;
    key.setAttribute("aria-pressed", "true");
    if (label) label.textContent = key.dataset.stop ?? "";
    await video.play();
    say(words.looking ?? "");
    void watch(stream);
  }

  /** Sends pictures until one shows something. @param {MediaStream} mine */
  async function watch(mine) {
    /** @type {{blob: Blob, unsure: number} | null} */
    let best = null;
    let left = patience;
    while (stream === mine) {
      const blob = video.videoWidth > 0 && !document.hidden ? await draw(video, video.videoWidth, video.videoHeight, longestFrame, 0.85) : null;
      const next = new Promise((resolve) => setTimeout(resolve, pace)); // from one that is sent to the next
      if (blob) {
        const seen = await look(blob);
        if (stream !== mine) return;
        if (seen?.found && (best === null || seen.unsure < best.unsure)) best = {blob, unsure: seen.unsure};
        if (best && (best.unsure === 0 || left-- <= 0)) {
          stop();
          return send(best.blob);
        }
        say(seen === null ? words.slow ?? "" : seen.say || (words.looking ?? ""));
      }
      await next;
    }
  }

  /**
   * Asks what a picture shows; null: not now.
   * @param {Blob} blob @returns {Promise<{found: boolean, unsure: number, say: string} | null>}
   */
  async function look(blob) {
    const body = new FormData();
    body.append("photo", blob, "photo");
    try {
      const answer = await fetch(view.dataset.frames ?? "", {method: "POST", body});
      if (answer.redirected) location.reload(); // to sign on
      if (answer.ok && !answer.redirected) return await answer.json();
    } catch {
      // The line is down; the next picture asks again.
    }
    await new Promise((resolve) => setTimeout(resolve, 4 * pace));
    return null;
  }

  key.addEventListener("click", () => {
    if (stream || asking && wanted) stop();
    else void open();
  });
  addEventListener("pagehide", stop);
  void navigator.permissions?.query({name: /** @type {PermissionName} */ ("camera")}).then((is) => {
    if (is.state === "granted") void open();
  }).catch(() => {});
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || localStorage.getItem("shortcuts") === "off") return;
  const key = /** @type {HTMLElement | null} */ (document.querySelector(`[data-char="${CSS.escape(event.key.toUpperCase())}"]`));
  key?.click();
});

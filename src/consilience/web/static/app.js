"use strict";
// What all pages share: keys, the session's token on every change, charts, dropped files.
(() => {
  const token = document.querySelector("meta[name=csrf]").content;
  const keys = document.getElementById("keys");
  let waiting = null; // the first letter of a key of two

  document.addEventListener("htmx:configRequest", (event) => {
    event.detail.headers["X-CSRF-Token"] = token;
  });

  // Charts are drawn where results stand, also in what came later.
  const draw = (root) => { if (root.querySelector("figure[data-chart]")) consilience.draw(root); };
  for (const result of document.querySelectorAll(".result")) draw(result);

  // A job that ended has changed the page, which is loaded anew. But what somebody reads or fills in is
  // not taken away: then the link to it stays. And no key or click may fall between two pages.
  let until = 0; // when the page may be loaded anew at the earliest
  const later = (milliseconds) => () => { until = performance.now() + milliseconds; };
  for (const kind of ["keydown", "input", "pointerup", "pointercancel", "dragover", "drop"]) {
    document.addEventListener(kind, later(1000), true);
  }
  document.addEventListener("pointerdown", later(10000), true); // a button may be held, a text marked
  window.addEventListener("beforeunload", later(15000)); // whoever leaves is not called back

  function filled(one) {
    if (one.type === "hidden") return false;
    if (one.type === "file") return one.files.length > 0;
    if (one.type === "checkbox" || one.type === "radio") return one.checked !== one.defaultChecked;
    if (!one.options) return one.value !== one.defaultValue;
    const all = [...one.options];
    if (!one.multiple && !all.some((option) => option.defaultSelected)) return one.selectedIndex > 0;
    return all.some((option) => option.selected !== option.defaultSelected);
  }

  function busy() {
    const reading = document.querySelector(".result") && window.scrollY > 200;
    return reading || typing(document.activeElement ?? document.body) || document.querySelector("dialog[open]")
      || [...document.querySelectorAll("input, select, textarea")].some(filled);
  }

  function renew(link) {
    const wait = until - performance.now();
    if (busy()) return;
    if (wait > 0) setTimeout(renew, wait, link);
    else if (link.getAttribute("href")) window.location.assign(link.href);
    else window.location.reload();
  }
  document.addEventListener("htmx:afterSwap", (event) => {
    const ended = document.querySelector("[data-done] a");
    if (ended) renew(ended);
    draw(event.detail.elt);
    local(event.detail.elt);
  });

  // Errors are told as well as results: those of forms beside them.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr, target } = event.detail;
    const beside = target.id === "said" && xhr.status >= 400;
    event.detail.shouldSwap ||= xhr.status === 422 || beside;
    if (beside && !xhr.responseText.includes("class=\"problem\"")) {
      event.detail.shouldSwap = false;
      target.textContent = xhr.responseText.slice(0, 500);
    }
  });

  // Work that could not be asked for is asked for again.
  function again(job, why) {
    job.querySelector("p").textContent = why;
    const [target, swap] = [job.getAttribute("hx-target") ?? job, job.getAttribute("hx-swap") ?? "outerHTML"];
    setTimeout(() => htmx.ajax("GET", job.getAttribute("hx-get"), { source: job, target, swap }), 2000);
  }

  // An app that was started anew knows nothing of older jobs; one that is away comes back.
  document.addEventListener("htmx:responseError", (event) => {
    const job = event.detail.elt.closest(".job");
    if (job && job === event.detail.elt && event.detail.xhr.status === 503) { again(job, "The database does not answer. Trying again …"); return; }
    if (job && event.detail.xhr.status !== 404) job.querySelector("p").textContent = "The app answered with an error. Load the page again.";
    if (!job || event.detail.xhr.status !== 404) return;
    const link = Object.assign(document.createElement("a"), { textContent: "Show it as it is now" });
    link.setAttribute("href", "");
    job.dataset.done = "";
    job.replaceChildren("The app was started anew. ", link);
    renew(link);
  });
  document.addEventListener("htmx:sendError", (event) => {
    const { elt } = event.detail;
    if (elt.classList.contains("job")) {
      again(elt, "The app does not answer. Trying again …");
    } else if (elt.tagName === "FORM") {
      const said = document.getElementById("said");
      if (said) said.textContent = "The app does not answer. Is it running? Then send it again.";
    }
  });

  // Large files take a while to go up: say how far they are.
  document.addEventListener("htmx:xhr:progress", (event) => {
    const { elt, lengthComputable, loaded, total } = event.detail;
    const bar = elt.querySelector?.("progress[data-sent]");
    if (!bar || !lengthComputable) return;
    bar.hidden = false;
    bar.value = loaded / total;
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    const bar = event.detail.elt.querySelector?.("progress[data-sent]");
    if (bar && !event.detail.successful) bar.hidden = true;
  });

  // A form is sent once, however often its button is pressed; but the page stays where a file comes.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.method !== "post" || "again" in form.dataset) return;
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "true";
  });
  window.addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
  });

  // Times are stored in UTC and told as the clock on the wall shows them.
  function clock(time) {
    const at = new Date(time), two = (number) => String(number).padStart(2, "0");
    const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
    return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
  }
  function local(root) {
    for (const one of root.querySelectorAll?.("time[datetime]") ?? []) {
      one.textContent = clock(one.dateTime);
      one.title = one.dateTime;
    }
    for (const one of root.querySelectorAll?.("[data-time]") ?? []) { // where no element can stand
      const said = (text) => text.replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/, clock(one.dataset.time));
      if (one.tagName === "OPTION") one.textContent = said(one.textContent);
      else one.setAttribute("aria-label", said(one.getAttribute("aria-label")));
    }
  }
  local(document);

  // Texts and links are copied by a button; where the browser forbids it, they are selected.
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy], [data-copy-link]");
    if (!button) return;
    event.preventDefault();
    const from = document.getElementById(button.dataset.copy);
    const said = button.textContent;
    try {
      await navigator.clipboard.writeText(from ? from.textContent : button.href);
      button.textContent = "Copied";
    } catch {
      window.getSelection().selectAllChildren(from ?? button);
      button.textContent = "Select it and copy";
    }
    setTimeout(() => { button.textContent = said; }, 1500);
  });

  // Long results begin with what stands where.
  for (const result of document.querySelectorAll(".result")) {
    const heads = [...result.querySelectorAll(":scope > section > h2")];
    const place = result.querySelector(".contents");
    if (!place || heads.length < 6) continue;
    for (const head of heads) {
      head.id = "part-" + head.textContent.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-");
      const link = document.createElement("a");
      link.href = `#${head.id}`;
      link.textContent = head.textContent;
      place.append(link);
    }
    place.hidden = false;
    document.getElementById(decodeURIComponent(window.location.hash.slice(1)))?.scrollIntoView();
  }

  document.getElementById("keys-button").addEventListener("click", () => keys.showModal());

  function typing(target) {
    return target.isContentEditable || ["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName);
  }

  function go(letter) {
    if (letter === "h") return document.querySelector(".brand");
    return document.querySelector(`.bar nav a[data-key="${CSS.escape(letter)}"]`);
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    if (event.key === "?") {
      event.preventDefault();
      if (keys.open) keys.close(); else keys.showModal();
    } else if (waiting === "g") {
      waiting = null;
      const link = go(event.key);
      if (link) { event.preventDefault(); link.click(); }
    } else if (event.key === "g") {
      waiting = "g";
      setTimeout(() => { waiting = null; }, 1200);
    } else if (event.key.length === 1) {
      const link = document.querySelector(`main a[data-key="${CSS.escape(event.key)}"]`);
      if (link) { event.preventDefault(); link.click(); }
    }
  });

  // Files can be dropped onto the form that takes them.
  for (const zone of document.querySelectorAll(".drop")) {
    const input = zone.querySelector("input[type=file]");
    for (const kind of ["dragenter", "dragover"]) {
      zone.addEventListener(kind, (event) => { event.preventDefault(); zone.classList.add("over"); });
    }
    zone.addEventListener("dragleave", () => zone.classList.remove("over"));
    zone.addEventListener("drop", (event) => {
      event.preventDefault();
      zone.classList.remove("over");
      input.files = event.dataTransfer.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    });
  }
})();

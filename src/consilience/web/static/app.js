"use strict";
// What all pages share: keys, the session's token on every change, charts, dropped files.
(() => {
  const token = document.querySelector("meta[name=csrf]").content;
  const keys = document.getElementById("keys");
  let waiting = null; // the first letter of a key of two

  document.addEventListener("htmx:configRequest", (event) => {
    event.detail.headers["X-CSRF-Token"] = token;
  });

  // Charts are drawn where results stand, also in what came later. A job that ended has changed
  // the page.
  const draw = (root) => { if (root.querySelector("figure[data-chart]")) consilience.draw(root); };
  for (const result of document.querySelectorAll(".result")) draw(result);
  document.addEventListener("htmx:afterSwap", (event) => {
    if (document.querySelector("[data-reload]")) window.location.reload();
    draw(event.detail.elt);
  });

  // Errors are told as well as results.
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.xhr.status === 422) event.detail.shouldSwap = true;
  });

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

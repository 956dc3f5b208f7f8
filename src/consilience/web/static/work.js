"use strict";
// A person's work: keys, saving without leaving the page, and no answer lost when the server is away.
(() => {
  let token = document.querySelector("meta[name=csrf]").content;
  const dialog = document.getElementById("keys");
  const told = document.getElementById("told");
  const unsaved = document.getElementById("unsaved");
  const unfetched = document.getElementById("unfetched");
  let sending = false; // an answer is on its way, or waits to be sent again; or the next task is
  let flying = false; // a request is under way
  let timer = null;
  const PATIENCE = 20000; // milliseconds that a request may take; then the app counts as away
  let since = performance.now(); // when the task was seen, and for how long before the page was hidden
  let looked = 0;

  const work = () => document.getElementById("work");
  const place = () => `consilience-unsaved-${work().dataset.who}`; // others may use this browser
  const form = () => document.getElementById("task");
  const radios = (name) => [...(form()?.querySelectorAll(`input[type=radio][name=${name}]`) ?? [])];
  const visible = () => radios("said").filter((one) => !one.closest(".option").hidden);

  function tell(text) { told.textContent = text; }

  function key() {
    const bytes = crypto.getRandomValues(new Uint8Array(18));
    return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");
  }

  function seconds() {
    const now = document.hidden ? 0 : performance.now() - since;
    return ((looked + now) / 1000).toFixed(2);
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) looked += performance.now() - since;
    else since = performance.now();
  });

  // --- sending: what is not acknowledged stays, here and in the tab's memory, and is sent again
  function kept() {
    try { return JSON.parse(sessionStorage.getItem(place())); } catch { return null; }
  }

  function begin(given, button) {
    if (sending) return;
    const fields = [...new FormData(given)].filter(([name]) => name !== "csrf" && name !== "key");
    if (button?.name) fields.push([button.name, button.value]);
    fields.push(["key", key()]);
    if (given.id === "task") fields.push(["seconds", seconds()]);
    const sent = { to: given.getAttribute("action"), fields, act: given.dataset.act ?? "save", tries: 0 };
    sessionStorage.setItem(place(), JSON.stringify(sent));
    send(sent);
  }

  // Ask the app, and read its answer; whatever takes too long fails.
  async function ask(address, options, read) {
    const stop = new AbortController();
    const patience = setTimeout(() => stop.abort(), PATIENCE);
    try {
      return await read(await fetch(address, { ...options, signal: stop.signal }));
    } finally {
      clearTimeout(patience);
    }
  }

  // Take the page of the next task, and with it the token of the session, which may be a new one.
  function fetched() {
    return ask("/work", { headers: { "Accept": "text/html" } }, async (answer) => {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      token = page.querySelector("meta[name=csrf]")?.content ?? token;
      return answer.ok ? page : null;
    });
  }

  async function send(sent) {
    if (flying) return;
    sending = flying = true;
    clearTimeout(timer);
    if (sent.stale) await fetched().catch(() => null);
    sent.stale = false;
    work().setAttribute("aria-busy", "true");
    let answer = null;
    try {
      const options = {
        method: "POST",
        headers: { "Accept": "application/json", "X-CSRF-Token": token },
        body: new URLSearchParams(sent.fields),
      };
      const said = await ask(sent.to, options, (got) => { answer = got; return got.json(); });
      flying = false;
      if (answer.ok) { acknowledged(sent); return; }
      if (answer.status === 422 || answer.status === 404) { refused(said.error); return; }
      sent.stale = answer.status === 401 || answer.status === 403; // the session has ended
      later(sent, said.error);
    } catch {
      later(sent, answer ? "The server did not say that it is saved." : "The server cannot be reached.");
    } finally {
      flying = false;
    }
  }

  function wait(tries) { return Math.min(30000, 1000 * 2 ** tries); }

  function later(sent, why) {
    sent.tries += 1;
    unsaved.hidden = false;
    unsaved.querySelector("[data-why]").textContent = why;
    document.getElementById("retry").onclick = () => send(sent);
    timer = setTimeout(() => send(sent), wait(sent.tries));
  }

  function refused(why) {
    sessionStorage.removeItem(place());
    sending = false;
    work().removeAttribute("aria-busy");
    unsaved.hidden = true;
    let shown = work().querySelector(".refused");
    if (!shown) {
      shown = document.createElement("p");
      shown.className = "problem refused";
      shown.setAttribute("role", "alert");
      if (form()) form().querySelector(".acts").before(shown); else work().append(shown);
    }
    shown.textContent = why;
  }

  function acknowledged(sent) {
    sessionStorage.removeItem(place());
    unsaved.hidden = true;
    load({ save: "Saved.", undo: "Taken back.", redo: "Said again." }[sent.act]);
  }

  window.addEventListener("beforeunload", (event) => { if (kept()) event.preventDefault(); });

  // --- the next task: where it cannot be fetched that is told, and tried again
  async function load(said, tries = 0) {
    if (flying) return;
    flying = true;
    clearTimeout(timer);
    const page = await fetched().catch(() => null); // the app is away
    flying = false;
    const fresh = page?.getElementById("work");
    if (!fresh) { away(said, tries + 1); return; }
    unfetched.hidden = true;
    work().replaceWith(document.adoptNode(fresh));
    document.title = page.title;
    sending = false;
    ready();
    const asked = document.getElementById("asked");
    asked.focus({ preventScroll: true });
    window.scrollTo(0, 0);
    tell(`${said} ${work().querySelector(".far p").textContent}`);
  }

  function away(said, tries) {
    unfetched.hidden = false;
    unfetched.querySelector("[data-why]").textContent = `${said} The next task could not be fetched.`;
    document.getElementById("fetch").onclick = () => load(said, tries);
    timer = setTimeout(() => load(said, tries), wait(tries));
  }

  // --- choosing
  function choose(radio) {
    radio.checked = true;
    if ("confidence" in work().dataset) { radio.focus(); mark(); } else form().requestSubmit();
  }

  function step(by) {
    const all = visible();
    if (!all.length) return;
    const now = all.findIndex((one) => one.checked);
    const to = now < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, now + by));
    all[to].checked = true;
    all[to].closest(".option").scrollIntoView({ block: "nearest" });
    mark();
    if (document.activeElement?.id !== "filter") all[to].focus();
  }

  function mark() {
    for (const one of work().querySelectorAll(".option")) {
      one.classList.toggle("chosen", one.querySelector("input").checked);
    }
  }

  function surer(by) {
    const all = radios("confidence");
    const now = all.findIndex((one) => one.checked);
    const to = now < 0 ? (by > 0 ? all.length - 1 : 0) : Math.min(all.length - 1, Math.max(0, now + by));
    all[to].checked = true;
    mark();
    tell(all[to].closest(".option").textContent.trim());
  }

  // --- categories: found by typing
  function number() {
    if (work().dataset.kind !== "category") return;
    visible().forEach((one, place) => {
      const shown = one.closest(".option").querySelector(".number");
      shown.hidden = place > 8;
      shown.textContent = place + 1;
    });
  }

  function filter(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const one of document.querySelectorAll("#categories .option")) {
      const found = words.every((word) => one.dataset.find.toLowerCase().includes(word));
      one.hidden = !found;
      if (found) count += 1;
      else one.querySelector("input").checked = false;
    }
    document.getElementById("found").textContent = words.length ? `${count} found` : "";
    number();
    mark();
  }

  function inFilter(event) {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      step(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter") {
      event.preventDefault();
      const all = visible();
      const one = all.find((radio) => radio.checked) ?? all[0];
      if (one) choose(one);
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.target.value = "";
      filter("");
      document.getElementById("asked").focus();
    }
  }

  // --- keys
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || dialog.open || sending || event.defaultPrevented) return;
    if (event.isComposing || event.keyCode === 229) return; // a word is being put together
    if (event.repeat && !["ArrowUp", "ArrowDown"].includes(event.key)) return; // a key that is held answers once
    if (event.target.id === "filter") { inFilter(event); return; }
    if (event.target.closest("summary, .place, select, textarea")) return;
    if (event.target.matches(".text[tabindex]") && /^(Arrow|Page|Home|End| )/.test(event.key)) return;
    if (work().dataset.kind === "ranking" && consilienceOrder.key(event)) return;
    if (event.altKey) return;
    const name = event.key;
    const control = [...work().querySelectorAll("[data-keys]")].find((one) => one.dataset.keys.split(" ").includes(name));
    if (control && !control.disabled) {
      event.preventDefault();
      if (control.type === "radio") choose(control); else control.click();
    } else if (/^[1-9]$/.test(name) && work().dataset.kind === "category") {
      const one = visible()[Number(name) - 1];
      if (one) { event.preventDefault(); choose(one); }
    } else if (name === "/" && document.getElementById("filter")) {
      event.preventDefault();
      document.getElementById("filter").focus();
    } else if ((name === "+" || name === "-") && "confidence" in work().dataset) {
      event.preventDefault();
      surer(name === "+" ? 1 : -1);
    } else if ((name === "ArrowDown" || name === "ArrowUp") && radios("said").length) {
      event.preventDefault();
      step(name === "ArrowDown" ? 1 : -1);
    } else if (name === "Enter" && form() && !event.target.closest("a, button")) {
      event.preventDefault();
      form().requestSubmit();
    }
  });

  document.addEventListener("submit", (event) => {
    if (!event.target.closest("#work")) return;
    event.preventDefault();
    begin(event.target, event.submitter);
  });

  // A click on a choice is an answer; arrows only go through them.
  document.addEventListener("click", (event) => {
    const radio = event.target.closest("#task input[type=radio][name=said]");
    if (radio && event.detail === 1 && !sending) choose(radio); // a double click answers once
  });
  document.addEventListener("change", () => mark());
  document.addEventListener("input", (event) => {
    if (event.target.id === "filter") filter(event.target.value);
  });

  function ready() {
    document.documentElement.classList.add("scripted");
    since = performance.now();
    looked = 0;
    number();
    for (const text of work().querySelectorAll(".content .text")) {
      if (text.scrollHeight > text.clientHeight + 1) { // long texts scroll by keys, too
        text.tabIndex = 0;
        text.setAttribute("role", "group");
        text.setAttribute("aria-label", "Text");
      }
    }
    consilienceOrder.ready(tell);
  }

  ready();
  const left = kept();
  if (left) send(left);
})();

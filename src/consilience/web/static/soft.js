"use strict";
// Soft match: what the page says while somebody types; files that became lists.
(() => {
  const form = document.getElementById("soft");
  const result = document.getElementById("result");
  const sides = ["gold", "predicted"];
  const mark = `${Math.random()}`.slice(2); // of this page: what it asked before is left
  let again = null; // an attempt that is still to come

  function count(side) {
    const items = form.elements[side].value.split("\n").filter((line) => line.trim()).length;
    const said = items === 0 ? "" : `(${items.toLocaleString("en")} item${items === 1 ? "" : "s"})`;
    document.getElementById(`${side}-count`).textContent = said;
  }

  // Instances are matched one to one: variants are of concepts.
  function fit() {
    form.elements.variant.disabled = form.elements.mode.value === "instances";
    document.getElementById("threshold-said").textContent = form.elements.threshold.value;
  }

  form.addEventListener("input", (event) => {
    if (sides.includes(event.target.name)) count(event.target.name);
    if (event.target.name === "similarity") form.elements.settings.value = "";
    fit();
  });

  // A file that held one list stands in the page now, and can be changed there.
  document.addEventListener("htmx:afterSettle", () => {
    const filled = document.querySelector("[data-filled]")?.dataset.filled ?? "";
    for (const side of filled.split(" ").filter(Boolean)) form.elements[`${side}_file`].value = "";
  });

  // Whatever goes wrong is told where the result stood: an older one would not be of these lists.
  function told(words) {
    const said = document.createElement("div");
    const title = document.createElement("h2");
    const text = document.createElement("pre");
    said.className = "problem";
    said.setAttribute("role", "alert");
    title.textContent = "This was not compared";
    text.textContent = words;
    said.append(title, text);
    result.replaceChildren(said);
  }

  function words(xhr) {
    const page = new DOMParser().parseFromString(xhr.responseText, "text/html");
    const said = (page.querySelector(".problem") ?? page.body).textContent.trim().slice(0, 500);
    return said || `The app answered with an error (${xhr.status}).`;
  }

  const ours = (event) => event.detail.requestConfig?.elt === form || event.detail.elt === form;
  document.addEventListener("htmx:configRequest", (event) => {
    if (!ours(event)) return;
    clearTimeout(again);
    event.detail.headers["X-Page"] = mark;
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr } = event.detail;
    if (!ours(event) || xhr.status < 400) return;
    const whole = /<html/i.test(xhr.responseText) || !xhr.responseText.includes("class=\"problem\"");
    event.detail.shouldSwap = !whole; // what was made for this place goes there as it is
    if (whole) told(words(xhr));
    if (xhr.status === 503) again = setTimeout(() => htmx.trigger(form, "change"), 1500);
  });
  for (const kind of ["htmx:sendError", "htmx:timeout"]) {
    document.addEventListener(kind, (event) => {
      if (ours(event)) told("The app does not answer. Is it running? Then press Compare.");
    });
  }

  // A browser that comes back fills in what was typed; the result is of what the address holds.
  const other = (one) => (one.options ? !one.selectedOptions[0]?.defaultSelected : one.value !== one.defaultValue);
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) return; // everything is as it was
    sides.forEach(count);
    fit();
    const fields = [...form.elements].filter((one) => one.name && one.type !== "file");
    if (fields.some(other)) htmx.trigger(form, "change");
  });

  fit();
})();

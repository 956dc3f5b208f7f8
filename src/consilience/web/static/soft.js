"use strict";
// Soft match: what the page says while somebody types; files that became lists.
(() => {
  const form = document.getElementById("soft");
  const sides = ["gold", "predicted"];

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

  fit();
})();

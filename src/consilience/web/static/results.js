"use strict";
// Forms of choices leave out of the address what is usual.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("form.choices")) return;
  for (const one of form.querySelectorAll("input, select")) {
    one.disabled = one.value.trim() === "" || one.value === one.dataset.usual;
  }
  // Whoever comes back to this page finds the fields as they were.
  setTimeout(() => { for (const one of form.elements) one.disabled = false; }, 0);
});

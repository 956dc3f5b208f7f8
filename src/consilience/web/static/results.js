"use strict";
// Forms of choices leave out of the address what is usual; paragraphs are copied by a button.
(() => {
  for (const form of document.querySelectorAll("form.choices")) {
    form.addEventListener("submit", () => {
      for (const one of form.querySelectorAll("input, select")) {
        one.disabled = one.value.trim() === "" || one.value === one.dataset.usual;
      }
      // Whoever comes back to this page finds the fields as they were.
      setTimeout(() => { for (const one of form.elements) one.disabled = false; }, 0);
    });
  }

  for (const button of document.querySelectorAll("button[data-copy]")) {
    const said = button.textContent;
    button.hidden = !navigator.clipboard;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = said; }, 1500);
    });
  }
})();

"use strict";
// Putting items in order: by drag, by keys, by buttons; what stands below the line is not relevant.
const consilienceOrder = (() => {
  let tell = () => {};
  let held = null;
  let dragged = null;

  const list = () => document.getElementById("order");
  const cut = () => document.getElementById("cut");
  const items = () => [...list().querySelectorAll("li[data-item]")];

  // Places follow from where items stand.
  function count() {
    let place = 0;
    let below = false;
    for (const one of list().children) {
      if (one === cut()) { below = true; continue; }
      place += below ? 0 : 1;
      one.classList.toggle("below", below);
      one.querySelector(".place").value = below ? "" : place;
      one.querySelector(".rank").textContent = below ? "–" : place;
    }
  }

  function say(one) {
    const place = one.querySelector(".place").value;
    const total = items().length;
    tell(`${one.dataset.name}: ${place ? `place ${place} of ${total}` : "not relevant"}`);
  }

  function move(one, by) {
    const next = by < 0 ? one.previousElementSibling : one.nextElementSibling;
    if (!next) return;
    if (by < 0) next.before(one); else next.after(one);
    count();
    focus(one);
    say(one);
  }

  function focus(one) {
    for (const other of items()) other.tabIndex = other === one ? 0 : -1;
    one.focus();
  }

  function hold(one) {
    held?.classList.remove("held");
    held = held === one ? null : one;
    held?.classList.add("held");
    tell(held ? `${one.dataset.name}: held. Arrows move it, space lets go.` : `${one.dataset.name}: let go.`);
  }

  function aside(one) {
    if (one.classList.contains("below")) cut().before(one); else cut().after(one);
    count();
    focus(one);
    say(one);
  }

  // Returns whether a key was for the list.
  function key(event) {
    const one = event.target.closest?.("#order li[data-item]");
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (by && (!one || one !== event.target) && !event.altKey) {
      event.preventDefault();
      focus(items()[by > 0 ? 0 : items().length - 1]);
      return true;
    }
    if (!one || one !== event.target) return false;
    if (by) {
      event.preventDefault();
      if (event.altKey || held === one) { move(one, by); return true; }
      const all = items();
      const next = all[all.indexOf(one) + by];
      if (next) focus(next);
      return true;
    }
    if (event.key === " ") { event.preventDefault(); hold(one); return true; }
    if (event.key === "Enter" && held === one) { event.preventDefault(); hold(one); return true; }
    if (event.key === "Delete" || event.key === "Backspace") { event.preventDefault(); aside(one); return true; }
    return false;
  }

  function ready(say) {
    tell = say;
    held = null;
    if (!list()) return;
    cut().hidden = false;
    items().forEach((one, place) => {
      one.tabIndex = place ? -1 : 0;
      one.draggable = true;
      one.setAttribute("aria-label", one.dataset.name);
    });
    list().addEventListener("click", (event) => {
      const button = event.target.closest("[data-move]");
      if (button) move(button.closest("li"), Number(button.dataset.move));
    });
    list().addEventListener("dragstart", (event) => {
      dragged = event.target.closest("li[data-item]");
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", dragged.dataset.name);
      dragged.classList.add("dragged");
    });
    list().addEventListener("dragover", (event) => {
      if (!dragged) return;
      event.preventDefault();
      const over = event.target.closest("#order > li");
      if (!over || over === dragged) return;
      const box = over.getBoundingClientRect();
      if (event.clientY < box.top + box.height / 2) over.before(dragged); else over.after(dragged);
      count();
    });
    list().addEventListener("dragend", () => {
      dragged?.classList.remove("dragged");
      if (dragged) say_place(dragged);
      dragged = null;
    });
    list().addEventListener("drop", (event) => event.preventDefault());
    count();
  }

  function say_place(one) { focus(one); say(one); }

  return { ready, key };
})();

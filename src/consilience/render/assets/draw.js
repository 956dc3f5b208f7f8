"use strict";
// Draws charts: `consilience.draw(root)` draws every `figure[data-chart]` under an element from the
// `script.charts` elements under it, and may be called again for content that came later. Drawings
// follow the width of their figures and the colours of the page; a page in dark colours gets a
// second, light drawing of each chart that only paper shows. `consilience.load` brings the drawing
// code; without another one it takes the files named in `data-scripts` of this script's element.
(() => {
  const NARROW = 620; // below this the legend goes under the chart
  const MENU = 40; // room for the button that saves a chart
  const PANEL = 60; // room for the axis of each panel
  const RESIZED = 24; // a change of width below this leaves a drawing as it is
  const own = document.currentScript;
  const page = document.documentElement;
  const darkness = window.matchMedia("(prefers-color-scheme: dark)");
  const paper = window.matchMedia("print");
  const held = new Map(); // figure → its chart, its views, the width it was drawn for
  const sizes = new ResizeObserver(soon);
  const api = (window.consilience = Object.assign(window.consilience ?? {}, { draw, load }));
  let code = null; // the promise of the drawing code
  let last = Promise.resolve(); // drawings are made one after the other
  let waiting = 0;

  // The colours are those of the reader's system, unless the page names its theme.
  function isDark() {
    const theme = page.dataset.theme;
    return theme === "dark" || (theme !== "light" && darkness.matches);
  }

  async function load() {
    const places = (own?.dataset.scripts ?? "").split(" ").filter(Boolean);
    await Promise.all(places.map((place) => new Promise((done, failed) => {
      const script = document.createElement("script");
      script.async = false; // they run in this order
      script.src = place;
      script.addEventListener("load", done);
      script.addEventListener("error", () => failed(new Error(`${place} did not come`)));
      document.head.append(script);
    })));
  }

  function fitted(chart, dark, room) {
    const spec = structuredClone(dark ? chart.dark : chart.light);
    spec.data = { values: chart.data };
    const panels = spec.encoding?.facet;
    if (panels) {
      if (room < NARROW) panels.columns = 1;
      spec.width = Math.floor(room / panels.columns) - PANEL;
    } else if (typeof spec.width === "number") {
      spec.width = room;
      spec.autosize = { type: "fit-x", contains: "padding" };
    }
    if (room < NARROW) {
      spec.config.legend.orient = "bottom";
      spec.config.legend.columns = 1;
      for (const channel of panels ? ["color", "strokeDash"] : []) {
        if (spec.encoding[channel]?.legend) spec.encoding[channel].legend.columns = 1;
      }
      spec.config.axis.labelLimit = Math.round(room / 3);
    }
    return spec;
  }

  // No style elements and no actions of vega-embed's own: charts.css and menu() stand in for them.
  function embed(figure, place, dark) {
    const host = document.createElement("div");
    figure.querySelector(place).replaceChildren(host);
    return vegaEmbed(host, fitted(held.get(figure).chart, dark, figure.clientWidth - MENU), {
      mode: "vega-lite",
      renderer: "svg",
      ast: true,
      actions: false,
      defaultStyle: false,
      tooltip: { theme: dark ? "dark" : "light", disableDefaultStyle: true },
    });
  }

  async function save(view, name, kind) {
    const link = document.createElement("a");
    link.href = await view.toImageURL(kind, kind === "png" ? 2 : 1);
    link.download = `${name}.${kind}`;
    link.click();
    if (link.href.startsWith("blob:")) setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  function menu(figure, view) {
    const made = document.createElement("details");
    const summary = document.createElement("summary");
    const choices = document.createElement("div");
    made.className = "chart-menu";
    summary.textContent = "⋯";
    summary.title = "Save this chart";
    summary.setAttribute("aria-label", "Save this chart");
    for (const kind of ["svg", "png"]) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = `Save as ${kind.toUpperCase()}`;
      button.addEventListener("click", () => {
        made.open = false;
        summary.focus();
        save(view, figure.dataset.chart, kind);
      });
      choices.append(button);
    }
    made.append(summary, choices);
    figure.querySelector(".chart-menu")?.remove();
    figure.querySelector(".on-paper").after(made);
  }

  function closeMenus(event) {
    for (const one of document.querySelectorAll(".chart-menu[open]")) {
      if (event.type === "keydown" ? event.key === "Escape" : !one.contains(event.target)) {
        one.open = false;
      }
    }
  }

  function clear(figure) {
    for (const made of held.get(figure).views.splice(0)) made.finalize();
    for (const place of [".on-screen", ".on-paper"]) figure.querySelector(place).replaceChildren();
  }

  // A figure that is hidden has no width: it is drawn when it shows.
  async function drawOne(figure) {
    const known = held.get(figure);
    if (!known) return;
    clear(figure);
    known.width = figure.clientWidth;
    if (known.width === 0) return;
    const dark = isDark();
    known.dark = dark;
    figure.querySelector(".on-screen").className = "on-screen";
    const shown = await embed(figure, ".on-screen", dark);
    known.views.push(shown);
    menu(figure, shown.view);
    if (dark) known.views.push(await embed(figure, ".on-paper", false));
  }

  function complain(figures, reason) {
    for (const figure of figures) {
      const host = figure.querySelector(".on-screen");
      held.get(figure).width = figure.clientWidth; // another width is another chance
      host.className = "on-screen hint";
      host.textContent =
        `This chart could not be drawn here (${reason}). The table below it holds the same figures.`;
    }
  }

  async function drawAll(figures) {
    try {
      code ??= window.vegaEmbed ? Promise.resolve() : api.load();
      await code;
      page.classList.toggle("drawn-dark", isDark());
      for (const figure of figures) await drawOne(figure);
      return "drawn";
    } catch (error) {
      code = null;
      complain(figures, error.message);
      console.error(error);
      return "failed";
    }
  }

  function queued(figures) {
    last = last.then(() => drawAll(figures));
    return last;
  }

  function forgetTheGone() {
    for (const [figure, known] of held) {
      if (figure.isConnected) continue;
      for (const made of known.views) made.finalize();
      sizes.unobserve(figure);
      held.delete(figure);
    }
  }

  // Paper counts as light, but a page that is being printed must not change under the printer.
  function refit() {
    if (paper.matches) return;
    forgetTheGone();
    const stale = [...held].filter(([figure, known]) =>
      Math.abs(figure.clientWidth - known.width) > RESIZED
      || (known.width > 0 && known.dark !== isDark()));
    if (stale.length > 0) queued(stale.map(([figure]) => figure));
  }

  function soon() {
    clearTimeout(waiting);
    waiting = setTimeout(refit, 150);
  }

  async function draw(root = page) {
    forgetTheGone();
    const charts = {};
    for (const one of root.querySelectorAll("script.charts")) {
      Object.assign(charts, JSON.parse(one.textContent));
    }
    const figures = [...root.querySelectorAll("figure[data-chart]")].filter((figure) =>
      Object.hasOwn(charts, figure.dataset.chart));
    for (const figure of figures) {
      const views = held.get(figure)?.views ?? [];
      held.set(figure, { chart: charts[figure.dataset.chart], views, width: 0, dark: false });
    }
    root.dataset.charts = "waiting";
    const state = figures.length === 0 ? "none" : await queued(figures);
    for (const figure of figures) sizes.observe(figure);
    root.dataset.charts = state;
    return state;
  }

  darkness.addEventListener("change", refit);
  new MutationObserver(refit).observe(page, { attributeFilter: ["data-theme"] });
  document.addEventListener("click", closeMenus);
  document.addEventListener("keydown", closeMenus);
})();

"use strict";
// Unpacks the drawing code that travels in this page and draws the charts. A page in dark colours
// gets a second, light drawing of each chart that only paper shows.
(() => {
  const NARROW = 620; // below this the legend goes under the chart
  const MENU = 40; // room for the button that saves a chart
  const PANEL = 60; // room for the axis of each panel
  const charts = JSON.parse(document.getElementById("charts").textContent);
  const darkness = window.matchMedia("(prefers-color-scheme: dark)");
  const paper = window.matchMedia("print");
  const figures = [...document.querySelectorAll("figure[data-chart]")];

  async function unpack() {
    const packed = atob(document.getElementById("drawing-code").textContent);
    const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(plain).text();
    document.head.append(script);
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

  function draw(figure, place, dark) {
    const name = figure.dataset.chart;
    const host = document.createElement("div");
    figure.querySelector(place).replaceChildren(host);
    return vegaEmbed(host, fitted(charts[name], dark, figure.clientWidth - MENU), {
      mode: "vega-lite",
      renderer: "svg",
      ast: true,
      actions: { export: true, source: false, compiled: false, editor: false },
      tooltip: { theme: dark ? "dark" : "light" },
      downloadFileName: name,
    });
  }

  async function drawAll() {
    const dark = darkness.matches;
    document.documentElement.classList.toggle("drawn-dark", dark);
    for (const figure of figures) {
      await draw(figure, ".on-screen", dark);
      if (dark) await draw(figure, ".on-paper", false);
    }
  }

  // Paper counts as light, but a page that is being printed must not change under the printer.
  function redraw() {
    const drawnDark = document.documentElement.classList.contains("drawn-dark");
    if (!paper.matches && darkness.matches !== drawnDark) drawAll();
  }

  function complain(reason) {
    for (const figure of figures) {
      const host = figure.querySelector(".on-screen");
      host.className = "on-screen hint";
      host.textContent =
        `This chart could not be drawn here (${reason}). The table below it holds the same figures.`;
    }
  }

  async function start() {
    if (figures.length === 0) return "none";
    if (typeof DecompressionStream === "undefined") {
      complain("the browser is older than 2023");
      return "failed";
    }
    await unpack();
    await drawAll();
    darkness.addEventListener("change", redraw);
    return "drawn";
  }

  start()
    .catch((error) => {
      complain(error.message);
      console.error(error);
      return "failed";
    })
    .then((state) => { document.documentElement.dataset.charts = state; });
})();

"use strict";
// Unpacks the drawing code that travels in this page, and has draw.js draw the charts.
(() => {
  async function unpack() {
    if (typeof DecompressionStream === "undefined") {
      throw new Error("the browser is older than 2023");
    }
    const packed = atob(document.getElementById("drawing-code").textContent);
    const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(plain).text();
    document.head.append(script);
  }

  window.consilience.load = unpack;
  window.consilience.draw(document.documentElement);
})();

/* SPDX-License-Identifier: Apache-2.0 */
// Charts as PNG: what a script has drawn, pictures in the page, and images, with the colours of the page.
(() => {
  "use strict";

  const LEAST_WIDTH = 600; // pixels
  const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "paint-order", "font", "opacity", "text-anchor", "display", "r", "transform"];
  const surface = () => getComputedStyle(document.documentElement).getPropertyValue("--surface").trim();

  async function savePicture(button) {
    const figure = button.closest("figure");
    const chart = figure.querySelector("[data-chart]");
    const link = document.createElement("a");
    link.download = button.dataset.png;
    if (chart) link.href = echarts.getInstanceByDom(chart).getDataURL({ pixelRatio: 2, backgroundColor: surface() });
    else link.href = await pngOf(figure.querySelector("[data-picture]"));
    link.click();
  }

  async function pngOf(picture) {
    const isImage = picture instanceof HTMLImageElement;
    if (isImage) {
      picture.loading = "eager";
      await picture.decode();
    }
    const { width, height } = isImage ? { width: picture.naturalWidth, height: picture.naturalHeight } : picture.viewBox.baseVal;
    const scale = Math.max(2, LEAST_WIDTH / width);
    const image = isImage ? picture : await imageOf(picture, scale * width, scale * height);
    const canvas = Object.assign(document.createElement("canvas"), { width: scale * width, height: scale * height });
    const context = canvas.getContext("2d");
    context.fillStyle = isImage ? "white" : surface();
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL("image/png");
  }

  async function imageOf(picture, width, height) {
    const copy = picture.cloneNode(true);
    const [from, to] = [picture, copy].map((svg) => [svg, ...svg.querySelectorAll("*")]);
    from.forEach((node, n) => {
      const style = getComputedStyle(node);
      for (const name of STYLES) to[n].style.setProperty(name, style.getPropertyValue(name));
    });
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    const image = new Image();
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(new XMLSerializer().serializeToString(copy));
    await image.decode();
    return image;
  }

  const showButtons = () => document.querySelectorAll("[data-png][hidden]").forEach((button) => { button.hidden = false; });

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-png]");
    if (button) savePicture(button);
  });
  document.addEventListener("DOMContentLoaded", showButtons);
  document.addEventListener("htmx:afterSettle", showButtons);
})();

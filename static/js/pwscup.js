// Behaviour shared by every page: countdowns, drop zones, confirmations. Pages work without it; uploads too.
(() => {
  "use strict";

  const pad = (n) => String(n).padStart(2, "0");

  function showCountdown(node) {
    const left = Math.max(0, Math.round((new Date(node.dataset.until) - Date.now()) / 1000));
    const days = Math.floor(left / 86400);
    const clock = `${pad(Math.floor(left / 3600) % 24)}:${pad(Math.floor(left / 60) % 60)}:${pad(left % 60)}`;
    node.textContent = days ? node.dataset.days.replace("%d", days) + " " + clock : clock;
    if (left === 0 && node.dataset.over) node.textContent = node.dataset.over; // what comes next takes a moment
    if (left === 0 && !node.dataset.done) {
      node.dataset.done = "yes";
      if (node.dataset.reload) setTimeout(() => location.reload(), 1500);
    }
  }

  function showFiles(zone, input) {
    const names = [...input.files].map((file) => file.name);
    zone.classList.toggle("filled", names.length > 0);
    const label = zone.querySelector("[data-file-names]");
    if (label) label.textContent = names.join(", ");
  }

  function prepare(root) {
    for (const zone of root.querySelectorAll(".dropzone:not([data-ready])")) {
      zone.dataset.ready = "yes";
      const input = zone.querySelector("input[type=file]");
      input.addEventListener("change", () => showFiles(zone, input));
      for (const name of ["dragenter", "dragover"])
        zone.addEventListener(name, (event) => { event.preventDefault(); zone.classList.add("over"); });
      for (const name of ["dragleave", "drop"])
        zone.addEventListener(name, () => zone.classList.remove("over"));
      zone.addEventListener("drop", (event) => {
        event.preventDefault();
        input.files = event.dataTransfer.files;
        input.dispatchEvent(new Event("change", { bubbles: true }));
      });
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    prepare(document);
    document.querySelector(".contest-tabs .active")?.scrollIntoView({ block: "nearest", inline: "center" });
    document.querySelector("[aria-invalid=true]")?.focus();
    const tick = () => document.querySelectorAll("[data-until]").forEach(showCountdown);
    tick();
    setInterval(tick, 1000);
  });
  document.addEventListener("htmx:load", (event) => prepare(event.target));

  // What has not changed is not put in again, so that nothing is announced or loses the focus. The entity tag
  // of the answer names its content, also behind a proxy that compresses and so weakens it.
  const sameTag = (a, b) => a && b && a.replace(/^W\//, "") === b.replace(/^W\//, "");
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr, target } = event.detail;
    if (xhr.status === 304 || sameTag(xhr.getResponseHeader("ETag"), target?.dataset?.etag)) {
      event.detail.shouldSwap = false;
    }
  });
  document.addEventListener("submit", (event) => {
    const question = event.target.dataset.confirm || event.submitter?.dataset.confirm;
    if (question && !window.confirm(question)) event.preventDefault();
  }, true);
})();

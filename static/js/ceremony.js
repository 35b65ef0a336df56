/* SPDX-License-Identifier: Apache-2.0 */
// The closing ceremony: rows that glide to their place, and keys for the organizer's clicker.
(() => {
  "use strict";

  const root = () => document.getElementById("ceremony");
  const rows = () => [...(root()?.querySelectorAll("tr[data-team]") ?? [])];
  let places = null; // where each team's row stood before the swap

  document.addEventListener("htmx:beforeSwap", (event) => {
    if (!root() || !event.detail.shouldSwap) return;
    places = new Map(rows().map((row) => [row.dataset.team, row.getBoundingClientRect().top]));
  });

  document.addEventListener("htmx:afterSettle", () => {
    if (!places || !root()) return;
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    root().querySelector(".newest")?.scrollIntoView({ block: "nearest" });
    for (const row of rows()) {
      const before = places.get(row.dataset.team);
      const moved = before === undefined ? 0 : before - row.getBoundingClientRect().top;
      if (still || !moved) continue;
      row.animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], { duration: 700, easing: "ease-in-out" });
    }
    places = null;
  });

  const KEYS = { " ": "next", ArrowRight: "next", PageDown: "next", ArrowLeft: "back", PageUp: "back" };
  document.addEventListener("keydown", (event) => {
    if (!root()?.classList.contains("on-stage") || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("button, a, input, select, textarea") && event.key === " ") return;
    if (event.key === "f" || event.key === "F") {
      if (document.fullscreenElement) document.exitFullscreen();
      else document.documentElement.requestFullscreen?.();
      return;
    }
    const button = root().querySelector(`[data-press="${KEYS[event.key]}"]`);
    if (!button) return;
    event.preventDefault();
    if (!button.disabled) button.click();
  });
})();

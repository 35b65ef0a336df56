/* SPDX-License-Identifier: Apache-2.0 */
// Motion that says something: rows glide to their new place, numbers count up. None where the reader wants none.
(() => {
  "use strict";

  const isStill = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

  // Rows of teams by team; a team with rows in several tables does not move.
  function rowsByTeam() {
    const found = new Map();
    for (const row of document.querySelectorAll("tr[data-team]")) found.set(row.dataset.team, found.has(row.dataset.team) ? null : row);
    return [...found].filter(([, row]) => row);
  }

  let places = null; // where each team's row stood before the swap

  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.shouldSwap) places = new Map(rowsByTeam().map(([team, row]) => [team, row.getBoundingClientRect().top]));
  });

  document.addEventListener("htmx:afterSettle", () => {
    if (!places) return;
    document.querySelector(".newest")?.scrollIntoView({ block: "nearest" });
    for (const [team, row] of rowsByTeam()) {
      const moved = places.has(team) ? places.get(team) - row.getBoundingClientRect().top : 0;
      if (moved && !isStill()) row.animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], { duration: 700, easing: "ease-in-out" });
    }
    places = null;
  });

  function countUp(node) {
    const text = node.textContent;
    const end = Number(text.replace(/\D/g, ""));
    const began = performance.now();
    const step = (now) => {
      const share = Math.min(1, Math.max(0, (now - began) / 700));
      node.textContent = share < 1 ? Math.round(end * (1 - (1 - share) ** 3)).toLocaleString("en") : text;
      if (share < 1) requestAnimationFrame(step);
    };
    if (end > 1) requestAnimationFrame(step);
  }

  document.addEventListener("DOMContentLoaded", () => {
    if (!isStill()) document.querySelectorAll("[data-count-up]").forEach(countUp);
  });
})();

/* SPDX-License-Identifier: Apache-2.0 */
// The closing ceremony: keys for the organizer's clicker.
(() => {
  "use strict";

  const root = () => document.getElementById("ceremony");

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

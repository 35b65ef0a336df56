/* SPDX-License-Identifier: Apache-2.0 */
// Copy buttons: shown only where the browser can copy; the link beside them can always be selected by hand.
(() => {
  "use strict";

  async function copy(button) {
    const field = document.querySelector(button.dataset.copy);
    field.select();
    await navigator.clipboard.writeText(field.value);
    const label = button.textContent;
    button.textContent = button.dataset.copied;
    setTimeout(() => { button.textContent = label; }, 2000);
  }

  // A text for the draws: the browser's own instead of the one that the server suggests.
  function fill(field) {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    field.value = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    const [suggested, drawn] = document.getElementById(field.getAttribute("aria-describedby")).children;
    suggested.hidden = true;
    drawn.hidden = false;
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll("[data-random]").forEach(fill);
    if (!navigator.clipboard) return;
    for (const button of document.querySelectorAll("[data-copy]")) {
      button.hidden = false;
      button.addEventListener("click", () => copy(button));
    }
  });
})();

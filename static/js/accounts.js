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

  document.addEventListener("DOMContentLoaded", () => {
    if (!navigator.clipboard) return;
    for (const button of document.querySelectorAll("[data-copy]")) {
      button.hidden = false;
      button.addEventListener("click", () => copy(button));
    }
  });
})();

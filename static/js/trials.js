/* SPDX-License-Identifier: Apache-2.0 */
// A slider for each number of a trial. Without this file the numbers are typed.
(() => {
  "use strict";

  for (const box of document.querySelectorAll("[data-slider]")) {
    const number = box.querySelector("input[type=number]");
    const label = box.querySelector("label");
    const range = document.createElement("input");
    range.type = "range";
    range.className = "form-range";
    for (const name of ["min", "max", "step"]) range.setAttribute(name, number.getAttribute(name));
    range.value = number.value;
    range.setAttribute("aria-label", label.textContent);
    range.addEventListener("input", () => { number.value = range.value; });
    number.addEventListener("input", () => { range.value = number.value; });
    number.before(range);
  }
})();

/* SPDX-License-Identifier: Apache-2.0 */
// The page of the appearance: the colour and the pictures are shown while they are chosen, before anything is saved.
(() => {
  "use strict";

  const COLOUR = /^#[0-9a-f]{6}$/;

  function previewColour(field) {
    const style = document.getElementById("brand-style");
    const picker = document.createElement("input");
    Object.assign(picker, { type: "color", className: "form-control form-control-color" });
    picker.setAttribute("aria-label", field.labels[0]?.textContent.trim() ?? "");
    const row = document.createElement("div");
    row.className = "colour-fields";
    field.replaceWith(row);
    row.append(picker, field);
    const show = () => {
      const colour = field.value.trim().toLowerCase();
      if (!COLOUR.test(colour) && colour !== "") return;
      if (colour) picker.value = colour;
      style.href = style.dataset.pattern.replace("COLOUR", colour.slice(1) || "site");
    };
    field.addEventListener("input", show);
    // A picker reports every shade that the pointer passes: the style sheet is loaded once it rests.
    let waiting = 0;
    picker.addEventListener("input", () => {
      field.value = picker.value;
      clearTimeout(waiting);
      waiting = setTimeout(show, 150);
    });
    picker.value = COLOUR.test(field.value) ? field.value : getComputedStyle(field).getPropertyValue("--accent").trim();
  }

  function previewPicture(field, which) {
    field.addEventListener("change", () => {
      const [file] = field.files;
      if (!file || !file.type.startsWith("image/")) return;
      const reader = new FileReader();
      reader.addEventListener("load", () => {
        for (const picture of document.querySelectorAll(`[data-preview="${which}"]`)) {
          for (const name of ["width", "height"]) picture.removeAttribute(name);
          picture.src = reader.result;
          picture.hidden = false;
        }
      });
      reader.readAsDataURL(file);
    });
  }

  document.querySelectorAll("[data-colour]").forEach(previewColour);
  for (const which of ["logo", "picture"]) {
    const field = document.querySelector(`input[type=file][name="${which}-file"]`);
    if (field) previewPicture(field, which);
  }
})();

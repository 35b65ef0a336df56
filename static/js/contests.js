/* SPDX-License-Identifier: Apache-2.0 */
// Organizer's forms: an address proposed from the title, and only the fields that a column's kind has.
(() => {
  "use strict";

  function proposeSlug(slug) {
    const title = document.getElementById(slug.dataset.slugFrom);
    let touched = slug.value !== "";
    slug.addEventListener("input", () => { touched = slug.value !== ""; });
    const propose = () => {
      if (touched) return;
      slug.value = title.value.normalize("NFKD").toLowerCase()
        .replace(/[^a-z0-9\s-]/g, "").trim().replace(/[\s-]+/g, "-").slice(0, 40).replace(/-+$/, "");
    };
    title.addEventListener("input", propose);
    propose();  // somebody may have typed before this script was there
  }

  function watchColumn(row) {
    const kind = row.querySelector("select[name$=-kind]");
    const role = row.querySelector("select[name$=-role]");
    const cross = row.querySelector("input[name$=-cross]");
    const show = () => {
      const shape = kind.value === "category" ? "category" : "number";
      for (const cell of row.querySelectorAll("[data-for]"))
        for (const child of cell.children) child.style.display = cell.dataset.for === shape ? "" : "none";
      row.classList.toggle("is-identifier", role.value === "identifier");
      if (!cross) return;  // tables of several times have no cross columns
      cross.disabled = role.value !== "quasi_identifier";
      if (cross.disabled) cross.checked = false;
    };
    kind.addEventListener("change", show);
    role.addEventListener("change", show);
    show();
  }

  // The roles chosen so far go along with a corrected file: to organizers the two forms are one.
  function takeAlong(form) {
    form.addEventListener("submit", () => {
      form.querySelectorAll("[data-taken]").forEach((field) => field.remove());
      const columns = document.getElementById(form.dataset.takesAlong);
      for (const [name, value] of columns ? new FormData(columns) : []) {
        if (!/^(c\d+-|e\d_column$)/.test(name)) continue;
        const field = document.createElement("input");
        Object.assign(field, { type: "hidden", name, value });
        field.dataset.taken = "";
        form.append(field);
      }
    });
  }

  // What the reader has unfolded in a part of the page stays so when the part is replaced.
  let unfolded = [];
  document.addEventListener("htmx:beforeSwap", (event) => {
    unfolded = [...event.detail.target.querySelectorAll("details[id][open]")].map((node) => node.id);
  });
  document.addEventListener("htmx:afterSettle", () => {
    for (const id of unfolded) document.getElementById(id)?.setAttribute("open", "");
    unfolded = [];
  });

  // A field that proposes what begins with its text proposes everything once somebody types.
  document.addEventListener("focusin", (event) => {
    if (event.target.dataset?.selectAll !== undefined) event.target.select();
  });

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll("form[data-takes-along]").forEach(takeAlong);
    document.querySelectorAll("[data-slug-from]").forEach(proposeSlug);
    document.querySelectorAll("tr[data-column]").forEach(watchColumn);
  });
})();

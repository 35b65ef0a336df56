/* SPDX-License-Identifier: Apache-2.0 */
// Uploads and live status. Every form works without this file.
(() => {
  "use strict";

  const MAX_FILES = 200;

  // Said before anything is sent, while the files are still chosen; the server decides all the same.
  function warnOfSize(input) {
    const files = [...input.files];
    const limit = Number(input.dataset.maxBytes);
    const warning = input.closest("[data-upload]")?.querySelector("[data-size-warning]");
    if (!warning) return;
    let text = "";
    if (files.some((file) => file.size > limit)) text = warning.dataset.tooLarge;
    else if (files.some((file) => file.size === 0)) text = warning.dataset.empty;
    else if (files.length > MAX_FILES) text = warning.dataset.tooMany;
    warning.textContent = text;
    warning.hidden = text === "";
    input.setCustomValidity(text);
  }

  document.addEventListener("change", (event) => {
    const input = event.target;
    if (!input.matches?.("input[type=file]")) return;
    warnOfSize(input);
    if (input.dataset.sendAtOnce !== undefined && input.files.length) input.form.requestSubmit();
  });
})();

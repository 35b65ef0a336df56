/* SPDX-License-Identifier: Apache-2.0 */
// Behaviour shared by every page: countdowns, drop zones, confirmations. Pages work without it; uploads too.
(() => {
  "use strict";

  const pad = (n) => String(n).padStart(2, "0");

  // Countdowns run by the server's clock: those of laptops are off by seconds to minutes.
  const SCRIPT = document.currentScript.src;
  let ahead = 0; // of this computer's clock, in milliseconds
  let isSending = false; // a reload would cancel an upload that began before the deadline

  async function readServerClock() {
    const asked = Date.now();
    const answer = await fetch(SCRIPT, { method: "HEAD", cache: "no-store" }).catch(() => null);
    const date = Date.parse(answer?.headers.get("Date") ?? "") + 500; // it has whole seconds
    const skew = (asked + Date.now()) / 2 - date;
    ahead = Math.abs(skew) > 2000 ? skew : 0;
  }

  const secondsLeft = (node) => Math.max(0, Math.round((new Date(node.dataset.until) - Date.now() + ahead) / 1000));

  async function update(node) {
    if (node.dataset.due) return;
    node.dataset.due = "yes";
    await readServerClock();
    setTimeout(() => {
      delete node.dataset.due;
      if (secondsLeft(node) > 0 || isSending) return;
      const live = node.closest("[hx-get]");
      if (live) window.htmx.trigger(live, "due");
      else location.reload();
    }, 1500);
  }

  function showCountdown(node) {
    const left = secondsLeft(node);
    const days = Math.floor(left / 86400);
    const clock = `${pad(Math.floor(left / 3600) % 24)}:${pad(Math.floor(left / 60) % 60)}:${pad(left % 60)}`;
    node.textContent = days ? node.dataset.days.replace("%d", days) + " " + clock : clock;
    if (left > 0) return;
    node.textContent = isSending ? node.dataset.sending : node.dataset.over;
    if (!isSending) update(node);
  }

  // Times that belong to no contest are sent in UTC.
  function showYourTime(node) {
    const time = new Date(node.dateTime);
    const name = new Intl.DateTimeFormat(document.documentElement.lang, { timeZoneName: "short" })
      .formatToParts(time).find((part) => part.type === "timeZoneName").value;
    node.textContent = `${time.toLocaleString("sv-SE", { dateStyle: "short", timeStyle: "short" })} ${name}`;
  }

  function showFiles(zone, input) {
    const names = [...input.files].map((file) => file.name);
    zone.classList.toggle("filled", names.length > 0);
    const label = zone.querySelector("[data-file-names]");
    if (label) label.textContent = names.join(", ");
  }

  // Parts that are folded on a phone are open elsewhere: style sheets show them, and this says so.
  const wide = window.matchMedia("(min-width: 768px)");

  function unfold(root) {
    for (const fold of root.querySelectorAll("details.fold")) {
      fold.open = wide.matches;
      fold.querySelector("summary").tabIndex = wide.matches ? -1 : 0;
    }
  }

  // Older browsers do not open what a link leads into.
  function openLinked() {
    const linked = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const fold = linked?.closest("details.fold:not([open])");
    if (!fold) return;
    fold.open = true;
    linked.scrollIntoView();
  }

  function prepare(root) {
    if (wide.matches) unfold(root);
    root.querySelectorAll("time[data-your-time]").forEach(showYourTime);
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
    openLinked();
    document.querySelector(".contest-tabs .active")?.scrollIntoView({ block: "nearest", inline: "center" });
    document.querySelector("[aria-invalid=true]")?.focus();
    const tick = () => document.querySelectorAll("[data-until]").forEach(showCountdown);
    tick();
    if (document.querySelector("[data-until]")) readServerClock().then(tick);
    setInterval(tick, 1000);
  });
  document.addEventListener("htmx:load", (event) => prepare(event.target));
  window.addEventListener("hashchange", openLinked);
  wide.addEventListener("change", () => { unfold(document); openLinked(); });

  // A part that is replaced takes the focus of the keyboard with it. It then goes to what is left around it.
  let around = []; // the identifiers around the element that had the focus, from the nearest
  document.addEventListener("htmx:beforeSwap", (event) => {
    around = [];
    if (!event.detail.target?.contains(document.activeElement)) return;
    for (let node = document.activeElement; node; node = node.parentElement) if (node.id) around.push(node.id);
  });
  document.addEventListener("htmx:afterSettle", () => {
    const lost = document.activeElement === document.body || !document.activeElement;
    const next = lost && around.map((id) => document.getElementById(id)).find(Boolean);
    around = [];
    if (!next) return;
    if (next.tabIndex < 0) next.tabIndex = -1;
    next.focus({ preventScroll: true });
  });

  // What has not changed is not put in again, so that nothing is announced or loses the focus. A proxy may weaken the tag.
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
  window.addEventListener("submit", (event) => { isSending ||= !event.defaultPrevented && event.target.enctype === "multipart/form-data"; });
  window.addEventListener("pageshow", () => { isSending = false; });
  document.addEventListener("htmx:beforeRequest", (event) => { if (isSending) event.preventDefault(); });

  document.addEventListener("click", (event) => { event.target.closest?.("[data-dismiss]")?.parentElement.remove(); });

  // A second click would use a second attempt, or join twice.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.dataset.once === undefined) return;
    if (form.dataset.sent) return event.preventDefault();
    form.dataset.sent = "yes";
    const button = form.querySelector("button[data-busy]");
    if (!button) return;
    button.dataset.idle = button.textContent;
    button.textContent = button.dataset.busy;
    button.setAttribute("aria-disabled", "true");
    button.classList.add("disabled");
  });

  window.addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[data-sent]")) {
      delete form.dataset.sent;
      const button = form.querySelector("button[data-idle]");
      if (!button) continue;
      button.textContent = button.dataset.idle;
      button.removeAttribute("aria-disabled");
      button.classList.remove("disabled");
    }
  });
})();

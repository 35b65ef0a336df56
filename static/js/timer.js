/* SPDX-License-Identifier: Apache-2.0 */
// The clock of the talks: a talk, then questions, then the next team. Everything it needs is in the page.
(() => {
  "use strict";

  const root = document.querySelector("[data-timer]");
  if (!root) return;
  const one = (name) => root.querySelector(`[data-${name}]`);
  const teams = [...root.querySelectorAll("[data-teams] li")].map((item) => item.textContent);
  const lengths = { talk: Number(root.dataset.talk), questions: Number(root.dataset.questions) };
  const total = lengths.talk + lengths.questions;
  const LAST = 60;
  const KEY = `timer ${location.pathname}`;

  // `passed` milliseconds until the last start, `since` the time of that start while it runs.
  let state = { place: 0, passed: 0, since: null };
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY));
    if (kept && kept.place < Math.max(teams.length, 1)) state = kept;
  } catch { /* begin again */ }

  const milliseconds = () => state.passed + (state.since === null ? 0 : Date.now() - state.since);

  function text(seconds) {
    const whole = Math.abs(seconds);
    return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
  }

  function show() {
    const passed = Math.floor(milliseconds() / 1000);
    const phase = passed < lengths.talk ? "talk" : passed < total ? "questions" : "over";
    const end = phase === "talk" ? lengths.talk : total;
    const left = end - passed;
    root.dataset.state = phase;
    root.toggleAttribute("data-last", phase !== "over" && left <= LAST);
    const words = root.dataset[`words${phase[0].toUpperCase()}${phase.slice(1)}`];
    if (one("phase").textContent !== words) one("phase").textContent = words;
    one("digits").textContent = phase === "over" && left < 0 ? `+${text(left)}` : text(left);
    one("bar").style.width = `${phase === "over" ? 100 : (100 * left) / lengths[phase]}%`;
    one("team").textContent = teams[state.place] ?? one("team").textContent;
    one("place").textContent = teams.length ? `${state.place + 1} / ${teams.length}` : "";
    one("next").textContent = teams[state.place + 1] ?? "";
    one("next-label").hidden = state.place + 1 >= teams.length;
    root.querySelector("[data-do=toggle]").textContent =
      state.since === null ? root.dataset.wordsStart : root.dataset.wordsPause;
    root.querySelector("[data-do=next]").disabled = state.place + 1 >= teams.length;
    root.querySelector("[data-do=previous]").disabled = state.place === 0;
  }

  const actions = {
    toggle() {
      state = state.since === null
        ? { ...state, since: Date.now() }
        : { ...state, passed: milliseconds(), since: null };
    },
    reset() { state = { place: state.place, passed: 0, since: null }; },
    next() { if (state.place + 1 < teams.length) state = { place: state.place + 1, passed: 0, since: null }; },
    previous() { if (state.place > 0) state = { place: state.place - 1, passed: 0, since: null }; },
  };

  function act(name) {
    actions[name]();
    try { sessionStorage.setItem(KEY, JSON.stringify(state)); } catch { /* only a reload loses it */ }
    show();
  }

  root.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do]");
    if (button) act(button.dataset.do);
  });
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, button, summary, a")) return;
    const name = { " ": "toggle", ArrowRight: "next", ArrowLeft: "previous" }[event.key];
    if (!name) return;
    event.preventDefault();
    act(name);
  });
  setInterval(show, 200);
  show();
})();

/* SPDX-License-Identifier: Apache-2.0 */
// Notices on an open page, for a while: on a phone they lie over buttons. All of them are in the news.
(() => {
  "use strict";

  const EVERY = 20000, MOST = 4, SHOWN = 15000;
  const shelf = document.getElementById("toasts");
  if (!shelf) return;
  const name = `toasts-${shelf.dataset.user}`;

  // All tabs share the key of the newest notice: what one has shown, the others do not show again.
  const last = () => { try { return localStorage.getItem(name); } catch { return memory; } };
  let memory = null;
  const note = (newest) => { memory = String(newest); try { localStorage.setItem(name, memory); } catch { /* this tab only */ } };

  const element = (tag, className, text) => Object.assign(document.createElement(tag), { className, textContent: text });

  function show(toast) {
    const box = element("div", "toast-notice", "");
    const link = element("a", "toast-title", toast.title);
    link.href = toast.url;
    const close = element("button", "close", "×");
    close.type = "button";
    close.setAttribute("aria-label", `${shelf.dataset.close}${document.documentElement.lang === "ja" ? "：" : ": "}${toast.title}`);
    close.addEventListener("click", () => box.remove());
    box.append(close, element("span", "toast-contest", toast.contest), link);
    if (toast.text) box.append(element("p", "toast-text", toast.text));
    shelf.append(box);
    while (shelf.children.length > MOST) shelf.firstElementChild.remove();
    const leave = () => setTimeout(() => (box.matches(":hover, :focus-within") ? leave() : box.remove()), SHOWN);
    leave();
  }

  async function ask() {
    if (document.visibilityState !== "visible") return;
    const after = last();
    const url = after === null ? shelf.dataset.url : `${shelf.dataset.url}?after=${after}`;
    // The browser sends the entity tag: nothing new is an answer without a body.
    const answer = await fetch(url, { cache: "no-cache", redirect: "error" }).catch(() => null);
    if (!answer?.ok) return;
    const said = await answer.json().catch(() => null); // cut off, or the log-in page
    if (!said) return;
    const { newest, toasts } = said;
    const shown = Number(last() ?? newest);
    toasts.filter((toast) => toast.id > shown).forEach(show);
    if (after === null || newest > shown) note(newest);
  }

  shelf.addEventListener("keydown", (event) => { if (event.key === "Escape") event.target.closest(".toast-notice")?.remove(); });
  document.addEventListener("visibilitychange", ask);
  ask();
  setInterval(ask, EVERY);
})();

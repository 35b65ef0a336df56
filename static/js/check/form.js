/* SPDX-License-Identifier: Apache-2.0 */
// The check of chosen files on the page of a round. It never keeps anybody from sending: the server decides.
import { partsOf, placeOf } from "./problems.js";

const MOST_LISTED = 10, MOST_ROWS = 5;

class Panel {
  #worker = null;
  #published = null;

  constructor(node) {
    this.node = node;
    this.form = node.closest("form");
    this.words = node.dataset;
    this.parts = Object.fromEntries([...node.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]));
    this.button = this.form.querySelector("button[data-busy]");
    this.send = this.button.textContent;
    this.isPrimary = this.button.classList.contains("btn-primary");
    this.form.addEventListener("change", (event) => event.target.type === "file" && this.check());
    this.parts.cancel.addEventListener("click", () => this.cancel());
  }

  async check() {
    this.#stop();
    this.node.hidden = true;
    this.#offer(this.send, false);
    this.#mark(new Set());
    const inputs = [...this.form.querySelectorAll("input[type=file]")];
    if (!inputs.some((input) => input.files.length) || !inputs.every((input) => input.checkValidity() || !input.files.length)) return;
    const run = (this.run = Symbol("run"));
    this.#published ??= fetch(this.words.check).then((answer) => (answer.ok ? answer.json() : null), () => null);
    const published = await this.#published;
    if (run !== this.run || !published) return;
    const groups = groupsOf(inputs, published);
    if (groups.length) this.#start(groups, published);
  }

  #start(groups, published) {
    this.#worker = new Worker(this.words.worker, { type: "module" });
    this.#worker.addEventListener("error", () => this.#show(groups, published, null));
    this.#worker.addEventListener("message", ({ data }) => {
      if (data.progress) this.parts.progress.value = data.progress;
      else this.#show(groups, published, data.results);
    });
    this.#say(this.words.checking, "running");
    this.parts.progress.value = 0;
    this.#worker.postMessage({ groups, reading: published.reading });
  }

  #stop() {
    this.run = null;
    this.#worker?.terminate();
    this.#worker = null;
  }

  cancel() {
    this.#stop();
    this.#say(this.words.cancelled, "cancelled");
  }

  // Sending what will be rejected stays possible, but is not what is suggested.
  #offer(text, isWrong) {
    this.button.textContent = text;
    if (!this.isPrimary) return;
    this.button.classList.toggle("btn-primary", !isWrong);
    this.button.classList.toggle("btn-outline-primary", isWrong);
  }

  #mark(wrong) {
    for (const zone of this.form.querySelectorAll(".dropzone")) {
      zone.classList.toggle("wrong", [...zone.querySelector("input[type=file]").files].some((file) => wrong.has(file)));
    }
  }

  #say(text, state) {
    this.node.hidden = false;
    this.node.dataset.state = state;
    this.parts.running.hidden = state !== "running";
    this.parts.hint.hidden = state !== "wrong";
    this.parts.notes.hidden = true;
    this.parts.list.replaceChildren();
    this.parts.status.textContent = text;
  }

  #show(groups, published, results) {
    this.#stop();
    if (!results) {
      this.node.hidden = true;
      return;
    }
    const total = results.reduce((sum, result) => sum + result.total, 0);
    const nRecords = results.flatMap((result) => Object.values(result.records)).reduce((sum, n) => Math.max(sum, n ?? 0), 0);
    const of = (template, n) => template.replace("{n}", n.toLocaleString(document.documentElement.lang));
    const lines = linesOf(groups, results, published.words);
    const problems = lines.filter((line) => !line.isNote), notes = lines.filter((line) => line.isNote);
    const isOneKind = total > 1 && problems.length === 1 && problems[0].rows.length === total;
    if (total) this.#say(of(isOneKind ? this.words.same : this.words.wrong, total), "wrong");
    else this.#say(of(this.words.fine, nRecords), "fine");
    if (total) this.#offer(this.words.anyway, true);
    this.#mark(wrongFiles(groups, results));
    const itemOf = (line) => lineItem(line, (records, n) => of(this.words.records, n).replace("{records}", records));
    this.parts.list.replaceChildren(...problems.slice(0, MOST_LISTED).map(itemOf));
    this.parts.noted.replaceChildren(...notes.slice(0, MOST_LISTED).map(itemOf));
    this.parts.notes.hidden = !notes.length;
    const shown = problems.slice(0, MOST_LISTED).reduce((sum, line) => sum + line.rows.length, 0);
    if (shown < total) {
      this.parts.list.append(Object.assign(document.createElement("li"), { textContent: of(this.words.more, total - shown) }));
    }
  }
}

// The files that have rules, those of one submission together and each guess alone.
function groupsOf(inputs, { files, names }) {
  const known = (input, file) => files[input.name] ?? files[names[file.name.toLowerCase().replace(/\.csv$/, "")]];
  const found = inputs.flatMap((input) =>
    [...input.files].filter((file) => file.size).flatMap((file) => {
      const own = known(input, file);
      return own ? [{ ...own, file, rowRules: files[own.rules.rows_in]?.rules }] : [];
    }),
  );
  const isTogether = new Set(found.map(({ key }) => key)).size === found.length;
  return isTogether && found.length ? [found] : found.map((one) => [one]);
}

// The files in which there are problems; all of a submission where a problem names none.
function wrongFiles(groups, results) {
  const found = groups.map((group, at) => {
    const { problems } = results[at];
    return group.filter(({ key }) => problems.some(({ file }) => file === key || file === null));
  });
  return new Set(found.flat().map(({ file }) => file));
}

// Problems and notes; those that differ only in the record are one line.
function linesOf(groups, results, words) {
  const lines = new Map();
  results.forEach(({ problems, notes }, at) => {
    const nameOf = (key) => groups[at].find((one) => one.key === key)?.file.name ?? "";
    for (const one of [...problems, ...notes]) {
      const name = nameOf(one.file);
      const line = { name, column: one.column, parts: partsOf(one, words), isNote: one.code.startsWith("note.") };
      const key = JSON.stringify([line, one.row === null]);
      if (!lines.has(key)) lines.set(key, { ...line, rows: [], words });
      lines.get(key).rows.push(one.row);
    }
  });
  return [...lines.values()];
}

function lineItem({ name, column, parts, rows, words }, andMore) {
  const first = rows.slice(0, MOST_ROWS).join(document.documentElement.lang === "ja" ? "、" : ", ");
  const listed = rows.length > MOST_ROWS ? andMore(first, rows.length - MOST_ROWS) : first;
  const place = placeOf({ row: rows[0] === null ? null : listed, column }, words, name);
  const [what, ...details] = parts;
  const item = document.createElement("li");
  item.append(
    Object.assign(document.createElement("span"), { className: "file-check-place", textContent: place }),
    Object.assign(document.createElement("strong"), { textContent: what }),
    ...details.map((detail) => Object.assign(document.createElement("span"), { textContent: detail })),
  );
  return item;
}

for (const node of document.querySelectorAll("[data-check]")) new Panel(node);

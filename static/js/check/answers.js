/* SPDX-License-Identifier: Apache-2.0 */
// Answers to a sheet of questions, and estimated counts: lines in any order, each question or cell once.
import { whole } from "./cells.js";
import { Problems } from "./problems.js";
import { Reader, checkHeader, noteLength } from "./tables.js";

export class Answers extends Reader {
  #taken = []; // usable lines with their questions and rows
  #firstOf = new Map();
  #places = new Problems();

  header(names) {
    checkHeader(names, [this.rules.number, ...this.names], this.cells);
    this.whole = whole(this.rules.whole);
    this.plain = whole(this.rules.plain);
    this.lengths = this.problems;
  }

  record(found, row) {
    if (found.length !== this.names.length + 1) return void noteLength(found, this.names.length + 1, this.lengths, row);
    const cell = this.#plain(found[0], this.rules.number);
    const number = this.whole.test(cell) ? Number(cell) : 0;
    const first = this.#firstOf.get(number);
    if (number < 1 || number > this.rules.n_questions) {
      const got = this.cells.short(found[0]);
      this.#places.add("answer.not_asked", { expected: this.rules.n_questions, got }, { row });
    } else if (first !== undefined) {
      this.#places.add("answer.repeated", { got: number, first }, { row });
    } else {
      this.#firstOf.set(number, row);
      this.#taken.push({ number, row, found });
    }
  }

  #plain(cell, column) {
    return this.cells.plainNumber(cell, this.plain, (got) => this.note("note.full_width", { got }, column));
  }

  broken(refused) {
    this.refuse(refused); // what was found before is not named
  }

  complete() {
    this.problems.extend(this.#places.first, this.#places.total);
    this.#noteMissing();
    const values = this.rules.columns.map((column, at) => this.#column(column, at + 1));
    if (!this.problems.total) this.#checkTogether(values);
  }

  #noteMissing() {
    const { n_questions: expected, shown } = this.rules;
    const missing = [];
    for (let number = 1; number <= expected; number++) if (!this.#firstOf.has(number)) missing.push(number);
    if (!missing.length) return;
    const got = missing.slice(0, shown).join(", ") + (missing.length > shown ? ", …" : "");
    this.problems.add("answer.missing", { n: missing.length, expected, got });
  }

  // The values of a column by the number of the question, NaN for no answer.
  #column(column, at) {
    const values = new Map();
    const cells = this.#taken.map((line) => ({ ...line, cell: this.#plain(line.found[at], column.name) }));
    const { of = [column] } = this.rules; // columns of the table, of which each question asks another
    of.forEach((asked, place) => {
      const check = "form" in asked ? this.#checkerOf(asked) : this.cells.checkerOf(asked);
      for (const { number, row, cell } of cells) {
        if (column.asked && column.asked[number - 1] !== place) continue;
        const wrong = check(cell);
        if (wrong) this.problems.add(...wrong, { row, column: asked.name });
        values.set(number, cell === "" ? NaN : Number(cell));
      }
    });
    return values;
  }

  #checkerOf({ form, low = -Infinity, high = Infinity, empty, code, expected }) {
    const pattern = whole(form);
    return (cell) => {
      if (!cell && empty) return null;
      if (pattern.test(cell) && low <= Number(cell) && Number(cell) <= high) return null;
      const got = this.cells.short(cell);
      return [code, expected === undefined ? { got } : { expected, got }];
    };
  }

  // What no single cell has: the number of ones, the ends of intervals, the order of candidates.
  #checkTogether(values) {
    const { answers, ones, tolerance, n_questions: n } = this.rules;
    const numbers = Array.from({ length: n }, (_, at) => at + 1);
    const add = (number, code, params) => this.problems.add(code, params, { row: this.#firstOf.get(number) });
    if (answers === "bits" && ones !== null) {
      const got = [...values[0].values()].reduce((sum, bit) => sum + bit, 0);
      if (got !== ones) this.problems.add("answer.ones", { expected: ones, got });
    } else if (answers === "intervals") {
      const [lows, highs] = values;
      const width = (number) => highs.get(number) - lows.get(number);
      const noteAll = (code, isWrong) => {
        for (const number of numbers.filter(isWrong)) add(number, code, { expected: tolerance, got: decimal(width(number)) });
      };
      noteAll("answer.half_interval", (number) => Number.isNaN(lows.get(number)) !== Number.isNaN(highs.get(number)));
      noteAll("answer.interval", (number) => lows.get(number) > highs.get(number));
      noteAll("answer.wide_interval", (number) => width(number) > Number(tolerance));
    } else if (answers === "lines") {
      for (const number of numbers) {
        const code = wrongLines(values.map((column) => column.get(number)));
        if (code) add(number, code);
      }
    }
  }
}

function wrongLines(named) {
  const candidates = named.filter((line) => line > 0);
  if (named.includes(0)) return "answer.line_zero";
  if (candidates.some((line, at) => line !== named[at])) return "answer.after_none";
  return new Set(candidates).size < candidates.length ? "answer.candidate_twice" : null;
}

// A number as the server writes one.
function decimal(number) {
  if (Number.isNaN(number)) return "nan";
  const [digits, exponent] = number.toExponential().split("e").map((part, at) => (at ? Number(part) : part));
  if (exponent < -4 || exponent >= 16) {
    return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  return Number.isInteger(number) ? `${number}.0` : String(number);
}

// A count for each combination of values, columns and lines in any order.
export class Counts extends Reader {
  #firstOf = new Map();
  #nUnusable = 0;

  header(names) {
    const expected = [...this.names, this.rules.count.name];
    const known = new Set(expected);
    if (names.length !== expected.length || !names.every((name) => known.has(name))) {
      checkHeader(names, expected, this.cells);
    }
    this.nCells = names.length;
    this.countAt = names.indexOf(this.rules.count.name);
    this.places = this.names.map((name) => names.indexOf(name));
    this.codes = this.rules.columns.map(({ values }) => new Map(values.map((value, code) => [value, code])));
    const note = (got) => this.note("note.full_width", { got }, this.rules.count.name);
    this.checkCount = this.cells.checkerOf(this.rules.count, note);
  }

  record(found, row) {
    const known = this.problems.total;
    if (found.length === this.nCells) this.#line(found, row);
    else noteLength(found, this.nCells, this.problems, row);
    this.#nUnusable += this.problems.total > known;
    this.gaveUp = this.#nUnusable >= this.reading.limits.unusable;
    return this.gaveUp;
  }

  #line(found, row) {
    let cell = 0;
    this.rules.columns.forEach(({ name, values }, at) => {
      const value = found[this.places[at]];
      const code = this.codes[at].get(value);
      if (code !== undefined) cell = cell * values.length + code;
      else {
        const params = { expected: this.cells.short(values.join(", ")), got: this.#printable(value) };
        this.problems.add(value ? "cell.not_in_values" : "cell.empty", params, { row, column: name });
        cell = NaN;
      }
    });
    const wrong = this.checkCount(found[this.countAt]);
    if (wrong) this.problems.add(...wrong, { row, column: this.rules.count.name });
    if (Number.isNaN(cell)) return;
    const first = this.#firstOf.get(cell);
    if (first === undefined) this.#firstOf.set(cell, row);
    else {
      const got = this.cells.short(this.places.map((place) => found[place]).join(", "));
      this.problems.add("counts.repeated_cell", { got, first }, { row });
    }
  }

  // Shortened, and without characters that cannot be seen.
  #printable(value) {
    const text = this.cells.short(value);
    if (!/[\p{C}\p{Z}]/u.test(text.replaceAll(" ", ""))) return text;
    const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
    return this.cells.short(mark + [...text].map((letter) => escaped(letter, mark)).join("") + mark);
  }

  complete() {
    if (this.isBroken || this.gaveUp) return;
    const { columns, shown } = this.rules;
    const expected = columns.reduce((product, { values }) => product * values.length, 1);
    const missing = expected - this.#firstOf.size;
    if (!missing) return;
    const named = [];
    for (let cell = 0; named.length < shown && cell < expected; cell++) {
      if (!this.#firstOf.has(cell)) named.push(this.cells.short(this.#valuesOf(cell).join(", ")));
    }
    this.problems.add("estimate.missing_cells", { expected, missing, got: named.join("; ") });
  }

  #valuesOf(cell) {
    const found = [];
    for (const { values } of this.rules.columns.toReversed()) {
      found.unshift(values[cell % values.length]);
      cell = Math.floor(cell / values.length);
    }
    return found;
  }
}

// As Python's `ascii` writes a letter.
function escaped(letter, mark) {
  const known = { "\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\", [mark]: `\\${mark}` }[letter];
  if (known) return known;
  const code = letter.codePointAt(0);
  if (code >= 0x20 && code < 0x7f) return letter;
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

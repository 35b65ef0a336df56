/* SPDX-License-Identifier: Apache-2.0 */
// Files of one number per line: row numbers, guesses of rows and of candidates.
import { Problems } from "./problems.js";

// A letter, a digit of another script or an underscore at the start of the first line: a header.
const WORD = /^[\p{L}\p{Nl}\p{No}_]/u;

export class Numbers {
  problems = new Problems();
  nRecords = 0;
  #found = new Problems(); // of lines
  #nLines = 0;
  #isFirst = true;
  #firstOf = new Map();

  constructor(rules, reading, cells, note) {
    Object.assign(this, { rules, reading, cells, note });
    this.nWanted = rules.n_lines ?? rules.high;
  }

  line(given) {
    const line = this.cells.plainDigits(given);
    if (line !== given) {
      const at = [...line].findIndex((letter, place) => letter !== [...given][place]);
      this.note("note.full_width", { got: this.cells.short([...given].slice(at).join("")) });
    }
    if (this.#isFirst) {
      this.#isFirst = false;
      if (line === this.reading.row_header) return;
      if (WORD.test(line)) {
        this.problems.add(this.#code("header"), { got: this.cells.short(line) });
        return;
      }
    }
    this.#nLines += 1;
    if (this.#nLines <= this.nWanted) this.#check(line || (this.rules.low === 0 ? "0" : ""), this.#nLines);
  }

  #code(name) {
    return `${this.rules.family}.${name}`;
  }

  #check(line, row) {
    const { low, high } = this.rules;
    const add = (name, params) => this.#found.add(this.#code(name), params, { row });
    const got = this.cells.short(line);
    if (!line) return add("empty_line");
    if (!/^-?[0-9]+$/.test(line)) return add("not_an_integer", { got });
    const isNegative = line.startsWith("-");
    const number = Number(line);
    if (line.length <= 18 && low <= number && number <= high && !isNegative) return low && this.#once(number, row, add);
    if (!/[1-9]/.test(line)) return low ? add("zero", { expected: high }) : add("not_an_integer", { got });
    return add(isNegative ? "negative" : "too_large", { low, expected: high, got });
  }

  #once(number, row, add) {
    const first = this.#firstOf.get(number);
    if (first === undefined) this.#firstOf.set(number, row);
    else add("repeated", { got: number, first });
  }

  // `nRecords` is how many numbers there must be, null where that is open.
  end(nRecords = this.rules.n_lines) {
    this.nRecords = this.#nLines;
    if (!this.#nLines) {
      this.problems.add("file.no_rows");
      return;
    }
    if (nRecords !== null && this.#nLines !== nRecords) {
      this.problems.add(this.#code("count"), { expected: nRecords, got: this.#nLines });
    } else if (nRecords === null && this.#nLines > this.rules.high) {
      this.problems.add("file.too_many_records", { expected: this.rules.high });
    }
    this.problems.extend(this.#found.first, this.#found.total);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
// Tables of records: header, lengths, cells, number of records; alone, with row numbers, or aligned with an original.
import { Numbers } from "./numbers.js";
import { Problems, Refused } from "./problems.js";

// The column names, which are distinct and not empty.
export function checkNames(names, { separators }) {
  if (!names.length) throw Refused.because("header.no_line");
  for (const [separator, code] of Object.entries(separators)) {
    if (names.length === 1 && names[0].includes(separator)) throw Refused.because(code);
  }
  const problems = new Problems();
  const seen = new Set();
  names.forEach((name, at) => {
    if (!name) problems.add("header.empty_name", { position: at + 1 });
    else if (seen.has(name)) {
      const got = [...name];
      problems.add("header.repeated", { got: got.slice(0, 60).join("") }, { column: got.slice(0, 200).join("") });
    }
    seen.add(name);
  });
  problems.throwIfAny();
}

// Exactly these columns in this order.
export function checkHeader(header, expected, cells) {
  const problems = new Problems();
  const [given, known] = [new Set(header), new Set(expected)];
  for (const name of expected) {
    if (!given.has(name)) problems.add("header.missing", { expected: name }, { column: name });
  }
  for (const name of header) {
    if (!known.has(name)) problems.add("header.unexpected", { got: cells.short(name) }, { column: cells.short(name) });
  }
  const at = problems.total ? -1 : header.findIndex((name, place) => name !== expected[place]);
  if (at >= 0) problems.add("header.order", { position: at + 1, expected: expected[at], got: header[at] });
  problems.throwIfAny();
}

export function noteLength(found, expected, problems, row) {
  if (found.length) problems.add("record.cell_count", { expected, got: found.length }, { row });
  else problems.add("record.empty_line", { expected }, { row });
}

// What all readers of records share: `take` gets the header, then each record, and returns true to stop.
export class Reader {
  problems = new Problems();
  nRecords = 0;
  #hasHeader = false;

  constructor(rules, reading, cells, note) {
    Object.assign(this, { rules, reading, cells, note });
    this.names = rules.columns?.map((column) => column.name);
  }

  take(found) {
    if (this.#hasHeader) {
      this.nRecords += 1;
      return this.record(found, this.nRecords);
    }
    this.#hasHeader = true;
    try {
      checkNames(found, this.reading);
      this.header(found);
    } catch (refused) {
      this.refuse(refused);
      return true;
    }
    return false;
  }

  header(names) {
    checkHeader(names, this.names, this.cells);
    this.prepare();
  }

  prepare() {
    this.checks = this.rules.columns.map((column) =>
      this.cells.checkerOf(column, (got) => this.note("note.full_width", { got }, column.name)),
    );
  }

  // Notes what is wrong with the cells of a record.
  checkCells(found, row, codeOf = (code) => code) {
    for (let at = 0; at < found.length; at++) {
      const wrong = this.checks[at](found[at]);
      if (wrong) this.problems.add(codeOf(wrong[0]), wrong[1], { row, column: this.names[at] });
    }
  }

  // Nothing else counts.
  refuse(refused) {
    if (!(refused instanceof Refused)) throw refused;
    this.problems = refused.problems;
    this.isRefused = true;
  }

  // The text cannot be split into cells from here on.
  broken(refused) {
    if (!this.#hasHeader) return this.refuse(refused);
    this.isBroken = true;
    this.problems.extend(refused.problems.first);
  }

  end() {
    if (!this.#hasHeader && !this.isRefused) this.refuse(Refused.because("file.empty"));
    if (!this.isRefused) this.complete();
  }
}

export class Table extends Reader {
  #nUnusable = 0;
  #firstOf = new Map();

  prepare() {
    super.prepare();
    this.distinctAt = this.names.indexOf(this.rules.distinct?.column);
  }

  record(found, row) {
    const { most } = this.rules;
    if (most !== null && row > most) {
      this.problems.add("file.too_many_records", { expected: most }, { row });
      return true;
    }
    if (found.length === this.names.length) this.checkCells(found, row);
    else {
      noteLength(found, this.names.length, this.problems, row);
      this.#nUnusable += 1;
    }
    if (this.distinctAt >= 0 && found[this.distinctAt]) this.#checkDistinct(found[this.distinctAt], row);
    return this.#nUnusable > this.reading.limits.unusable;
  }

  #checkDistinct(value, row) {
    const { code, column } = this.rules.distinct;
    const first = this.#firstOf.get(value);
    if (first === undefined) this.#firstOf.set(value, row);
    else this.problems.add(code, { got: this.cells.short(value), first }, { row, column });
  }

  complete() {
    if (this.isBroken) return;
    if (!this.nRecords) this.problems.add("file.header_only");
    else if (!this.problems.total && this.nRecords < this.rules.least) {
      this.problems.add("file.too_few_records", { expected: this.rules.least, got: this.nRecords });
    }
  }
}

// A table that has its row numbers in a column of its own; without it, the table is checked all the same.
export class TableWithRows extends Reader {
  #lengths = new Problems();
  #isDone = false;

  constructor(rules, reading, cells, note, rowRules) {
    super(rules, reading, cells, note);
    this.table = new Table(rules, reading, cells, note);
    const noteRow = (code, params) => note(code, params, reading.source_row);
    this.rows = new Numbers(rowRules, reading, cells, noteRow);
  }

  header(names) {
    this.rowAt = names.indexOf(this.reading.source_row);
    this.nCells = names.length;
    if (this.rowAt < 0) {
      this.problems.add("submission.no_rows", { expected: this.reading.source_row }, { file: "rows" });
      this.#isDone = this.table.take(names);
    } else {
      this.rows.line(this.reading.row_header);
      this.#isDone = this.table.take(names.filter((_, at) => at !== this.rowAt));
    }
  }

  record(found, row) {
    if (this.rowAt < 0) {
      if (!this.#isDone) this.#isDone = this.table.take(found);
      return this.#isDone;
    }
    if (found.length !== this.nCells) {
      noteLength(found, this.nCells, this.#lengths, row);
      return this.#lengths.total > this.reading.limits.unusable;
    }
    const [number] = found.splice(this.rowAt, 1);
    if (!this.#isDone) this.#isDone = this.table.take(found);
    for (const line of number.split("\n")) this.rows.line(line);
    return false;
  }

  broken(refused) {
    if (this.rowAt === undefined || this.rowAt >= 0) this.refuse(refused);
    else this.table.broken(refused);
  }

  complete() {
    if (this.#lengths.total) {
      this.problems = this.#lengths;
      return;
    }
    this.table.end();
    this.problems.extend(this.table.problems.first, this.table.problems.total);
    if (this.rowAt < 0) return;
    this.rows.end(this.table.problems.total ? null : this.table.nRecords);
    const column = this.reading.source_row;
    const found = this.rows.problems.first.map((problem) => ({ ...problem, column }));
    this.problems.extend(found, this.rows.problems.total);
  }
}

// Line i is record i of an original; a line of empty cells deletes its record.
export class Aligned extends Reader {
  #nKept = 0;
  #nNamed = 0; // records with a problem

  record(found, row) {
    if (row > this.rules.n_lines) return false;
    const known = this.problems.total;
    if (found.every((cell) => cell === "")) {
      if (!this.rules.blank) this.problems.add("record.empty_line", { expected: this.names.length }, { row });
    } else if (found.length !== this.names.length) {
      noteLength(found, this.names.length, this.problems, row);
    } else {
      this.#nKept += 1;
      this.checkCells(found, row, (code) => (code === "cell.empty" && this.rules.blank ? "aligned.partly_empty" : code));
    }
    this.#nNamed += this.problems.total > known;
    return false;
  }

  // Problems of the whole file come first.
  complete() {
    const ofRecords = this.problems.first.filter((problem) => problem.row !== null);
    const ofFile = this.problems.first.filter((problem) => problem.row === null);
    const all = new Problems();
    all.extend(ofFile);
    const { n_lines: expected } = this.rules;
    if (this.nRecords && this.nRecords !== expected && !this.isBroken) {
      all.add("aligned.count", { expected, got: this.nRecords });
    }
    if (!this.isBroken && !this.#nKept && !this.#nNamed) {
      all.add(this.nRecords ? "aligned.all_deleted" : "file.header_only");
    }
    all.extend(ofRecords, this.problems.total - ofFile.length);
    this.problems = all;
  }
}

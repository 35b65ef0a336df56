/* SPDX-License-Identifier: Apache-2.0 */
// From text to lines and to the cells of a CSV file, strictly as the server reads it.
import { Refused, lengthOf } from "./problems.js";

// Lines without their ends; the final line feed starts no line. `take` gets a line and whether it had an end.
export class Lines {
  done = false;
  #rest = "";

  constructor(take, longest = Infinity) {
    this.take = take;
    this.longest = longest;
  }

  push(text) {
    const lines = text.split("\n");
    lines[0] = this.#rest + lines[0];
    this.#rest = lines.pop();
    for (const line of lines) {
      if (this.done) return;
      this.done = this.take(line.endsWith("\r") ? line.slice(0, -1) : line, true) === true;
    }
    if (this.#rest.length > this.longest) this.end(); // refuses it
  }

  end() {
    if (!this.done && this.#rest) this.take(this.#rest, false);
    this.#rest = "";
  }
}

// The header and the records, each a list of cells; an empty line is an empty list. `take` returns true to stop.
export class Records {
  #line = 0;
  #cells = [];
  #cell = "";
  #isOpen = false; // within quotation marks

  constructor({ limits, separators }, take) {
    this.limits = limits;
    this.separators = separators;
    this.take = take;
    this.lines = new Lines((line, hasEnd) => this.#add(line, hasEnd), 2 * limits.line + 2);
  }

  get done() {
    return this.lines.done;
  }

  push(text) {
    this.lines.push(text);
  }

  end() {
    this.lines.end();
    if (this.#isOpen && !this.done) throw Refused.because("file.quote", { line: this.#line });
  }

  #add(line, hasEnd) {
    this.#line += 1;
    const longest = this.limits.line - hasEnd;
    if (line.length > longest && lengthOf(line) > longest) {
      throw Refused.because("file.line_too_long", { line: this.#line, expected: this.limits.line });
    }
    if (this.#isOpen || line.includes('"')) return this.#addQuoted(line, hasEnd);
    const cells = line === "" ? [] : line.split(",");
    if (line.length > this.limits.cell) cells.forEach((cell) => this.#checkLength(cell));
    return this.take(cells);
  }

  #addQuoted(line, hasEnd) {
    for (let at = 0; ; ) {
      if (!this.#isOpen && line[at] === '"') {
        this.#isOpen = true;
        at += 1;
      }
      const end = line.indexOf(this.#isOpen ? '"' : ",", at);
      if (this.#isOpen && end < 0) {
        this.#extend(line.slice(at) + (hasEnd ? "\n" : ""));
        return false; // the cell goes on in the next line
      }
      this.#extend(end < 0 ? line.slice(at) : line.slice(at, end));
      if (end < 0) break;
      at = end + 1;
      if (this.#isOpen) {
        if (line[at] === '"') {
          this.#extend('"');
          at += 1;
          continue;
        }
        this.#isOpen = false;
        if (at === line.length) break;
        if (line[at] !== ",") throw this.#misplaced(line);
        at += 1;
      }
      this.#close();
    }
    this.#close();
    const cells = this.#cells;
    this.#cells = [];
    return this.take(cells);
  }

  #extend(text) {
    this.#cell += text;
    this.#checkLength(this.#cell);
  }

  #close() {
    this.#cells.push(this.#cell);
    this.#cell = "";
  }

  #checkLength(cell) {
    if (cell.length > this.limits.cell && lengthOf(cell) > this.limits.cell) {
      throw Refused.because("file.cell_too_long", { line: this.#line, expected: this.limits.cell });
    }
  }

  #misplaced(line) {
    const separated = this.#line === 1 && /^"[^"\n]*"([\t;])/.exec(line);
    return separated
      ? Refused.because(this.separators[separated[1]])
      : Refused.because("file.quote", { line: this.#line });
  }
}

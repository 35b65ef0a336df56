/* SPDX-License-Identifier: Apache-2.0 */
// What is wrong with a cell, by the published domain of its column.
import { lengthOf, shorten } from "./problems.js";

// What the server strips from the ends of a cell.
const SPACES = /^[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]|[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/u;
const isAscii = (text) => /^[\x00-\x7f]*$/.test(text);
export const whole = (form) => new RegExp(`^(?:${form})$`, "u");

export class Cells {
  constructor(rules) {
    this.limits = rules.limits;
    this.integer = rules.forms.integer;
    this.longNumber = whole(rules.forms.long_number);
    this.reasons = rules.reasons.map(([code, form]) => [code, whole(form)]);
    this.fullWidth = rules.full_width;
  }

  short(text) {
    return shorten(text, this.limits.got);
  }

  // The text with ASCII digits, points and minus signs for full-width ones.
  plainDigits(text) {
    return isAscii(text) ? text : text.replace(/[^\x00-\x7f]/gu, (letter) => this.fullWidth[letter] ?? letter);
  }

  // The cell with ASCII digits where these make a number of it; `note` gets a cell that had others.
  plainNumber(cell, form, note) {
    if (isAscii(cell)) return cell;
    const plain = this.plainDigits(cell);
    if (!form.test(plain)) return cell;
    note(this.short(cell));
    return plain;
  }

  // A function from a cell to its code and parameters, null where nothing is wrong.
  checkerOf(column, note) {
    return "decimals" in column ? this.#ofNumbers(column, note) : this.#ofCategories(column);
  }

  #ofCategories({ values, empty }) {
    const known = values && new Set(values);
    const expected = values && this.short(values.join(", "));
    return (cell) => {
      if (known?.has(cell) || (!cell && empty)) return null;
      if (!cell) return ["cell.empty", {}];
      if (known) return ["cell.not_in_values", { expected, got: this.short(cell) }];
      if (cell.length <= this.limits.category) return null;
      const got = lengthOf(cell);
      return got > this.limits.category ? ["cell.too_long", { expected: this.limits.category, got }] : null;
    };
  }

  #ofNumbers({ decimals, min, max }, note) {
    const form = whole(this.integer + (decimals ? `(?:\\.[0-9]{1,${decimals}})?` : ""));
    const low = min === undefined ? -Infinity : Number(min);
    const high = max === undefined ? Infinity : Number(max);
    return (given) => {
      const cell = form.test(given) ? given : this.plainNumber(given, form, note);
      if (cell === given && !form.test(cell)) return this.#notANumber(cell, decimals);
      const number = Number(cell);
      if (number < low) return ["cell.below_minimum", { expected: min, got: cell }];
      if (number > high) return ["cell.above_maximum", { expected: max, got: cell }];
      return null;
    };
  }

  // The most specific reason why a cell is not a number that a table may contain.
  #notANumber(cell, decimals) {
    const got = this.short(cell);
    if (!cell) return ["cell.empty", {}];
    const match = this.longNumber.exec(cell);
    if (match) {
      if (match[1].length > this.limits.digits) return ["cell.too_many_digits", { got, expected: this.limits.digits }];
      return decimals ? ["cell.too_many_decimals", { got, expected: decimals }] : ["cell.not_an_integer", { got }];
    }
    if (SPACES.test(cell)) return ["cell.spaces", { got }];
    for (const [code, form] of this.reasons) if (form.test(cell)) return [code, { got }];
    const ascii = cell.normalize("NFKC").replaceAll("\u2212", "-");
    return [!isAscii(cell) && this.longNumber.test(ascii) ? "cell.not_ascii_digits" : "cell.not_a_number", { got }];
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
// From bytes to text: formats that are no text, UTF-8, CP932, ends of lines. Files are read in pieces.
import { Refused } from "./problems.js";

const BOM = [0xef, 0xbb, 0xbf];
const LF = 10, CR = 13;
const letters = (bytes) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
const bytesOf = async (blob) => new Uint8Array(await blob.arrayBuffer());
const startsWith = (bytes, start) => start.every((byte, at) => bytes[at] === byte);
const isBetween = (byte, low, high) => byte >= low && byte <= high;

// The encoding of a file and where its text begins; refuses a file that is no text.
export async function inspect(file, rules, seen = () => {}) {
  const head = await bytesOf(file.slice(0, rules.limits.sample));
  await refuseKnownFormat(file, head, rules);
  const scan = new Scan();
  for await (const bytes of pieces(file, seen)) scan.take(bytes);
  scan.end();
  if (scan.nul !== null) throw Refused.because("file.binary", { byte: scan.nul + 1 });
  const start = startsWith(head, BOM) ? BOM.length : 0;
  const found = { encoding: "utf-8", start };
  if (scan.wrong !== null) {
    found.encoding = "shift_jis"; // which browsers read as CP932
    await refuseOtherThanCp932(file.slice(start), scan, start, rules.limits.sample);
  }
  if (scan.bareCr !== null) throw Refused.because("file.bare_cr", { line: scan.bareCr });
  return found;
}

// The text of a file, piece by piece.
export async function* texts(file, { encoding, start }, seen = () => {}) {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  for await (const bytes of pieces(file.slice(start), seen)) yield decoder.decode(bytes, { stream: true });
  yield decoder.decode();
}

async function* pieces(file, seen) {
  const reader = file.stream().getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      seen(next.value.length);
      yield next.value;
    }
  } finally {
    reader.cancel();
  }
}

async function refuseKnownFormat(file, head, rules) {
  const starts = letters(head);
  const known = rules.signatures.find(([hex]) => starts.startsWith(fromHex(hex)));
  const isOldOffice = starts.startsWith(fromHex(rules.workbook.old));
  if (isOldOffice || (starts.startsWith(fromHex(rules.workbook.zip)) && (await isWorkbook(file, starts, rules)))) {
    throw Refused.because("file.excel", { got: isOldOffice ? "xls" : "xlsx" });
  }
  if (known) throw Refused.because("file.known_format", { got: known[1] });
  if (["fffe", "feff"].some((hex) => starts.startsWith(fromHex(hex))) || looksLikeUtf16(head)) {
    throw Refused.because("file.utf16");
  }
}

const fromHex = (hex) => hex.replace(/../g, (two) => String.fromCharCode(parseInt(two, 16)));

async function isWorkbook(file, starts, { workbook }) {
  if (starts.includes(workbook.types)) return true;
  const ascii = new TextDecoder("latin1");
  let before = "";
  for await (const bytes of pieces(file, () => {})) {
    const text = before + ascii.decode(bytes);
    if (text.includes(workbook.entry)) return true;
    before = text.slice(-workbook.entry.length);
  }
  return false;
}

// Without a byte order mark: ASCII in UTF-16 has a NUL at every other byte.
function looksLikeUtf16(head) {
  const pairs = Math.floor(head.length / 2);
  if (!pairs || !(head[0] || head[1])) return false;
  const zeros = [0, 0];
  for (let at = 0; at < 2 * pairs; at++) if (head[at] === 0) zeros[at % 2] += 1;
  return Math.max(...zeros) > 0.7 * pairs && Math.min(...zeros) < 0.1 * pairs;
}

// One pass over all bytes: the first NUL, the first byte that is no UTF-8, the first bare carriage return.
class Scan {
  nul = null;
  wrong = null; // the place of a character that is no UTF-8, its line and its first byte
  bareCr = null;
  #at = 0;
  #line = 1;
  #afterCr = false;
  #missing = 0; // bytes of a character
  #first = null;
  #low = 0x80;
  #high = 0xbf;

  take(bytes) {
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (this.#afterCr) this.#noteCr(byte !== LF);
      if (byte >= 0x80 || this.#missing) {
        if (this.wrong === null) this.#utf8(byte, this.#at + at);
      }
      if (byte === LF) this.#line += 1;
      else if (byte === CR) this.#afterCr = true;
      else if (byte === 0) this.nul ??= this.#at + at;
    }
    this.#at += bytes.length;
  }

  end() {
    if (this.#afterCr) this.#noteCr(true);
    if (this.#missing && this.wrong === null) this.wrong = this.#first;
  }

  #noteCr(isBare) {
    if (isBare) this.bareCr ??= this.#line;
    this.#afterCr = false;
  }

  #utf8(byte, at) {
    if (this.#missing) {
      if (!isBetween(byte, this.#low, this.#high)) this.wrong = this.#first;
      this.#missing -= 1;
      [this.#low, this.#high] = [0x80, 0xbf];
      return;
    }
    this.#first = { at, line: this.#line, byte };
    if (isBetween(byte, 0xc2, 0xdf)) this.#missing = 1;
    else if (isBetween(byte, 0xe0, 0xef)) this.#missing = 2;
    else if (isBetween(byte, 0xf0, 0xf4)) this.#missing = 3;
    else this.wrong = this.#first;
    // Of these, some second bytes would make a surrogate, a number too large, or a form too long.
    if (byte === 0xe0) this.#low = 0xa0;
    else if (byte === 0xed) this.#high = 0x9f;
    else if (byte === 0xf0) this.#low = 0x90;
    else if (byte === 0xf4) this.#high = 0x8f;
  }
}

async function refuseOtherThanCp932(body, { wrong }, start, sampleSize) {
  if (!(await looksLikeCp932(body, wrong.at - start, sampleSize))) {
    throw Refused.because("file.not_utf8", { line: wrong.line, got: wrong.byte.toString(16).padStart(2, "0") });
  }
  try {
    for await (const text of texts(body, { encoding: "shift_jis", start: 0 })) {
      if (text.includes("\x80")) throw new TypeError("no character of CP932");
    }
  } catch (error) {
    if (error instanceof TypeError) throw Refused.because("file.cp932");
    throw error;
  }
}

// Around `at`, most characters beyond ASCII are in common use in CP932, unlike those of a wrong guess.
async function looksLikeCp932(body, at, sampleSize) {
  const from = Math.max(0, at - sampleSize);
  const before = await bytesOf(body.slice(from, at));
  const line = before.lastIndexOf(LF);
  const begin = line < 0 ? at : from + line + 1;
  const sample = await bytesOf(body.slice(begin, at + sampleSize));
  let nUsual = 0, nForeign = 0;
  for (let place = 0; place < sample.length; place++) {
    const byte = sample[place];
    const isPair = isBetween(byte, 0x81, 0x9f) || isBetween(byte, 0xe0, 0xfc);
    if (isPair && place + 1 === sample.length) break; // the sample ends within a character
    if (isPair && !(isBetween(sample[place + 1], 0x40, 0x7e) || isBetween(sample[place + 1], 0x80, 0xfc))) return false;
    nForeign += byte >= 0x80;
    nUsual += isBetween(byte, 0x81, 0x9f);
    place += isPair;
  }
  return 2 * nUsual > nForeign;
}

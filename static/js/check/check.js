/* SPDX-License-Identifier: Apache-2.0 */
// The check of the files of a submission by published rules, before anything is sent. The server decides all the same.
import { Answers, Counts } from "./answers.js";
import { inspect, texts } from "./bytes.js";
import { Cells } from "./cells.js";
import { Lines, Records } from "./lines.js";
import { Numbers } from "./numbers.js";
import { Problems, Refused } from "./problems.js";
import { Aligned, Table, TableWithRows } from "./tables.js";

const KINDS = { table: Table, aligned: Aligned, numbers: Numbers, answers: Answers, counts: Counts };
const HEADER = 1 << 16; // bytes, more than a header has

// All problems and notes of files with their rules: `files` are {key, file, rules}, `seen` gets numbers of bytes.
export async function check(files, reading, seen = () => {}) {
  const found = { problems: new Problems(), notes: [], records: {} };
  const byKey = Object.fromEntries(files.map((one) => [one.key, one]));
  if (await areSwapped(byKey, reading)) {
    found.problems.add("submission.swapped");
    return plain(found);
  }
  for (const one of inOrder(files)) {
    const reader = readerOf(one, reading, found.notes, one.rules.rows_in in byKey ? undefined : one.rowRules);
    if (one.rules.kind === "numbers") await readLines(one, reading, reader, seen, byKey);
    else await readRecords(one, reading, reader, seen);
    one.nRecords = reader.problems.total ? null : reader.nRecords;
    found.records[one.key] = one.nRecords;
    const placed = reader.problems.first.map((problem) => ({ ...problem, file: problem.file ?? placeIn(problem, one) }));
    found.problems.extend(placed, reader.problems.total);
  }
  return plain(found);
}

const plain = ({ problems, ...rest }) => ({ problems: problems.first, total: problems.total, ...rest });
const placeIn = (problem, { key }) => (problem.code.startsWith("submission.") ? null : key);

// A table before its row numbers, whose number follows from it.
const inOrder = (files) => [...files.filter((one) => one.rules.rows_in), ...files.filter((one) => !one.rules.rows_in)];

function readerOf({ key, rules }, reading, notes, rowRules) {
  const note = (code, params, column = null) => {
    const isKnown = notes.some((one) => one.code === code && one.file === key && one.column === column);
    if (!isKnown) notes.push({ code, params, file: key, row: null, column });
  };
  const cells = new Cells(reading);
  return rowRules
    ? new TableWithRows(rules, reading, cells, note, rowRules)
    : new KINDS[rules.kind](rules, reading, cells, note);
}

async function readRecords({ file }, reading, reader, seen) {
  const records = new Records(reading, (cells) => reader.take(cells));
  try {
    const encoding = await inspected(file, reading, reader, seen);
    for await (const text of texts(file, encoding, seen)) {
      records.push(text);
      if (records.done) break;
    }
    records.end();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    reader.broken(error);
  }
  reader.end();
}

async function readLines(one, reading, numbers, seen, byKey) {
  const lines = new Lines((line) => void numbers.line(line));
  const table = Object.values(byKey).find(({ rules }) => rules.rows_in === one.key);
  if (table) numbers.nWanted = table.nRecords ?? one.rules.high;
  try {
    const encoding = await inspected(one.file, reading, numbers, seen);
    for await (const text of texts(one.file, encoding, seen)) lines.push(text);
    lines.end();
    numbers.end(table ? (table.nRecords ?? null) : undefined);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    numbers.problems = error.problems;
  }
}

async function inspected(file, reading, reader, seen) {
  const encoding = await inspect(file, reading, seen);
  if (encoding.encoding !== "utf-8") reader.note("note.cp932", {});
  return encoding;
}

// The first line of the row numbers is the header of the table, and that of the table is not.
async function areSwapped(byKey, reading) {
  const table = Object.values(byKey).find(({ rules }) => rules.rows_in in byKey);
  if (!table) return false;
  const names = table.rules.columns.map((column) => column.name);
  const isTable = async (file) => {
    const header = await firstNames(file, reading);
    return header.length === names.length && header.every((name, at) => name === names[at]);
  };
  return (await isTable(byKey[table.rules.rows_in].file)) && !(await isTable(table.file));
}

async function firstNames(file, reading) {
  const start = new Uint8Array(await file.slice(0, HEADER).arrayBuffer());
  const line = file.slice(0, start.indexOf(10) + 1 || HEADER);
  let names = [];
  const records = new Records(reading, (cells) => {
    names = cells;
    return true;
  });
  try {
    for await (const text of texts(line, await inspect(line, reading))) records.push(text);
    records.end();
    return names;
  } catch (error) {
    if (error instanceof Refused || error instanceof TypeError) return [];
    throw error;
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
// What is wrong with a file: codes and parameters as the server has them, and its words from the published catalogue.

const KEPT = 200;

export class Problems {
  first = [];
  total = 0;

  add(code, params = {}, place = {}) {
    this.extend([{ code, params, file: null, row: null, column: null, ...place }]);
  }

  extend(found, total = found.length) {
    this.first.push(...found.slice(0, KEPT - this.first.length));
    this.total += total;
  }

  throwIfAny() {
    if (this.total) throw new Refused(this);
  }
}

export class Refused extends Error {
  constructor(problems) {
    super(problems.first[0]?.code);
    this.problems = problems;
  }

  static because(code, params, place) {
    const problems = new Problems();
    problems.add(code, params, place);
    return new Refused(problems);
  }
}

// Characters, not units of UTF-16, as the server counts them.
export const lengthOf = (text) => {
  let n = text.length;
  for (let at = 0; at < text.length; at++) if (text.codePointAt(at) > 0xffff) { n -= 1; at += 1; }
  return n;
};

export function shorten(text, limit) {
  if (text.length <= limit) return text;
  const letters = [...text.slice(0, 2 * limit + 2)];
  return letters.length <= limit ? text : letters.slice(0, limit - 1).join("") + "…";
}

// A message has parts: what is wrong, what was expected, what was found.
export function partsOf(problem, catalogue) {
  const template = catalogue.messages[problem.code] ?? problem.code;
  return template.split(" — ").map((part) => filled(part, problem.params));
}

export function placeOf(problem, catalogue, fileName) {
  const row = problem.row === null ? "" : filled(catalogue.record, { n: problem.row });
  const column = problem.column === null ? "" : filled(catalogue.column, { name: problem.column });
  return [fileName ?? problem.file, row, column].filter(Boolean).join(" · ");
}

const filled = (template, params) => template.replace(/\{(\w+)\}/g, (_, name) => String(params[name] ?? "?"));

/* SPDX-License-Identifier: Apache-2.0 */
// Keeps the rules of a style sheet whose classes occur in the files: `node purge.mjs in.css out.css dropped.txt FILE…`.
import { readFileSync, writeFileSync } from "node:fs";
import { PurgeCSS } from "purgecss";

// Utilities that stay without being used, so that a new page may use them.
const KEPT = [
  /^[mp][tbsexy]?-(?:[0-5]|auto)$/,
  /^(?:row|column)?-?gap-[0-5]$/,
  /^d-(?:none|block|inline|inline-block|flex|inline-flex|grid)$/,
  /^(?:flex|justify-content|align-items|align-self)-[a-z]+$/,
  /^text-(?:start|end|center|nowrap|break|body-secondary)$/,
  /^(?:btn|form|table|alert|col)(?:-[a-z]+|-\d+)?$/,
  /^(?:visually-hidden|small|w-100|ms-auto|fw-(?:bold|semibold|normal))$/,
];
const [source, target, list, ...content] = process.argv.slice(2);
const classes = (css) => new Set([...css.matchAll(/\.(-?[a-zA-Z_](?:[\w-]|\\.)*)/g)].map((found) => found[1].replaceAll("\\", "")));
const [{ css }] = await new PurgeCSS().purge({ content, css: [source], safelist: { standard: KEPT } });
const kept = classes(css);
writeFileSync(target, css);
writeFileSync(list, [...classes(readFileSync(process.argv[2], "utf-8"))].filter((name) => !kept.has(name)).sort().join("\n") + "\n");

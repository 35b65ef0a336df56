# SPDX-License-Identifier: Apache-2.0
"""The style of self-contained pages, on a screen, on a phone and on paper."""

BASE = """\
* { box-sizing: border-box; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
"""
"""The common part of all pages."""
STYLE = (
    BASE
    + """\
:root { color-scheme: light; --ink: #1f2933; --muted: #5b6672; --line: #d9dee4; --worst: #cc3311; }
body { margin: 0; background: #f5f7f9; color: var(--ink);
  font: 16px/1.55 system-ui, "Hiragino Sans", "Noto Sans CJK JP", "Yu Gothic", sans-serif; }
main { max-width: 54rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; background: #fff; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0 0 .25rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem; padding-top: 1rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
header p { color: var(--muted); margin: 0; }
.verdict { margin: 1.5rem 0; padding: 1rem 1.25rem; border-left: 4px solid var(--worst); background: #fdf4f2; }
.verdict p { font-size: 1.15rem; font-weight: 600; margin: 0 0 .5rem; }
.verdict ul { margin: 0; padding-left: 1.1rem; }
figure { margin: 1.25rem 0; }
figure svg { display: block; width: 100%; max-width: 42rem; height: auto; }
figcaption { color: var(--muted); font-size: .9rem; }
.saved { display: block; } .saved a { margin-right: 1rem; color: inherit; }
.numbers { font-size: .9rem; margin: -.75rem 0 1.25rem; } .numbers summary { color: var(--muted); cursor: pointer; }
table { width: 100%; font-size: .92rem; }
th, td { text-align: left; padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--muted); font-weight: 600; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td { overflow-wrap: anywhere; }
.attackers td:first-child { min-width: 8rem; }
.measures { table-layout: fixed; }
.measures td:nth-child(2) { width: 28%; padding-right: 1.2rem; }
.measures td:nth-child(3) { width: 26%; color: var(--muted); }
td:first-child, td.n { overflow-wrap: normal; }
th.n { white-space: normal; vertical-align: bottom; }
dt { font-weight: 600; margin-top: .6rem; }
dd { margin: 0 0 0 1.2rem; }
@media (max-width: 34rem) {
  .attackers :is(td, th):is(:nth-child(3), :nth-child(5)) { display: none; }
  .attackers td:nth-child(4) { white-space: normal; }
}
@media print { body { background: none; font-size: 11pt; } main { max-width: none; padding: 0; }
  section, figure, tr { break-inside: avoid; } .saved, .numbers:not([open]) { display: none; } }
"""
)
"""Of reports: audits, and what the platform writes."""

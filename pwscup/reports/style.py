# SPDX-License-Identifier: Apache-2.0
"""Styles of a final report in addition to the common ones."""

from scoring.reporting.style import STYLE as COMMON

STYLE = f"""\
{COMMON}\
main {{ max-width: 62rem; }}
nav ol {{ columns: 2; padding-left: 1.3rem; }}
.winners {{ margin: 1.5rem 0; padding: 1rem 1.25rem; border-left: 4px solid #b8912f; background: #fbf7ee; }}
.winners ol {{ list-style: none; margin: 0; padding: 0; font-size: 1.1rem; font-weight: 600; }}
.winners li b {{ display: inline-block; min-width: 2rem; }}
.board:not(.board-matrix) td:nth-child(2) {{ min-width: 7rem; font-weight: 600; }}
.dense {{ font-size: .8rem; }} .dense :is(th, td) {{ padding-right: .45rem; }}
.board.dense:not(.board-matrix) td:nth-child(2) {{ min-width: 5rem; }}
.note {{ color: var(--muted); font-size: .9rem; margin: .5rem 0; }}
.board small {{ color: var(--muted); font-weight: 400; }}
.board-matrix td:first-child {{ font-weight: 600; min-width: 6rem; max-width: 8rem; overflow-wrap: anywhere; }}
.board-matrix th.n {{ max-width: 8rem; overflow-wrap: anywhere; }}
.board:not(.board-matrix) th.n {{ overflow-wrap: anywhere; }}
.facts td:first-child {{ color: var(--muted); width: 30%; min-width: 8rem; }}
.facts td:nth-child(2) {{ overflow-wrap: anywhere; }}
.wide svg {{ min-width: 30rem; }} .wider svg {{ max-width: none; }}
details {{ margin: 1rem 0; }} summary {{ cursor: pointer; }} h4 {{ margin: 1.2rem 0 0; }}
code {{ overflow-wrap: anywhere; font-size: .85em; }}
@media (max-width: 34rem) {{ nav ol {{ columns: 1; }} main {{ padding-top: 1.5rem; }} }}
@media print {{ nav {{ display: none; }} .wide svg {{ min-width: 0; max-width: 100%; }} }}
"""

# SPDX-License-Identifier: Apache-2.0
"""Numbers of boards: few digits where there are many columns, and nothing where there is nothing yet."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pwscup.leaderboards.boards.cells import RATE, Board, Cell, Line, Rate
from pwscup.leaderboards.boards.columns import shown_value
from pwscup.leaderboards.templatetags.boards import column_means, row_cells


@pytest.mark.whole
@pytest.mark.parametrize(
    ("value", "full", "brief"),
    [
        (0.0009533412, "0.000953341", "0.0009533"),
        (0.1635999, "0.1636", "0.1636"),
        (2916.5, "2,916.5", "2,916"),
        (19748.83, "19,748.8", "19,749"),
        (123456, "123,456", "123,456"),
        (7.0, "7", "7"),
        (-0.123456, "-0.123456", "-0.1235"),
        (None, "–", "–"),
    ],
)
def test_few_digits_never_round_a_whole_number(value, full, brief):
    column = SimpleNamespace(id="U1", is_rate=False)
    assert shown_value(value, column) == full
    assert shown_value(value, column, is_brief=True) == brief


def test_there_are_means_of_teams_once_there_is_one():
    def row(*rates):
        return Line("", (), [Rate(rate, is_own=False) for rate in rates], team=1)

    assert column_means([row(None, None), row(None, None)]) == ""
    assert column_means([row(None, 0.5), row(None, 0.25)]) == "<td>–<td>37.50"


def test_cells_have_their_bar_rank_and_owner_and_no_markup_of_a_team():
    total = Cell("1.50", value=1.5, mark='counts as "last"')
    worst = Cell("20.00%", kind=RATE, value=0.2, css="", rank=3, by="<b>Anna</b>", full="20.004")
    hidden = Cell("hidden", value=0.1, is_muted=True)
    ranked = Board((), ())
    assert row_cells([total, worst], ranked, 2.0) == (
        '<td class="num">1.50<span title="counts as &quot;last&quot;">*</span>'
        '<i class="bar" style="width:75%"></i></td>'
        '<td title="20.004">20.00% <span class="measure-rank">(3)</span>'
        '<br><span class="worst-by">&lt;b&gt;Anna&lt;/b&gt;</span></td>'
    )
    assert row_cells([hidden], ranked, 2.0) == (
        '<td class="num"><span class="none">hidden</span></td>'
    )
    assert "bar" not in row_cells([total], Board((), (), is_ranked=False), 2.0)
    assert row_cells([], ranked, 0.0) == ""

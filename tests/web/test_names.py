# SPDX-License-Identifier: Apache-2.0
"""Names of teams: look-alikes are taken, what no language writes is refused, Japanese goes through."""

from __future__ import annotations

from itertools import combinations

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from pwscup.accounts import names, services
from pwscup.accounts.models import Team
from pwscup.accounts.services import RefusedError
from pwscup.archives.reading import laws
from pwscup.contests.teams import lists
from tests import factories

JAPANESE = (
    *(
        "チーム力",
        "力こぶ",
        "カツオ",
        "ガクチカ",
        "サーバー班",
        "チーム一番",
        "チーム二番",
        "チーム三番",
        "チーム1",
        "チーム2",
    ),
    *(
        "ニャンコ",
        "二人組",
        "口コミ隊",
        "ロボット部",
        "工学部",
        "エース",
        "夕焼け",
        "タヌキ",
        "ハチ公",
        "八王子",
        "へのへのもへじ",
    ),
    *(
        "山田研究室",
        "やまだけんきゅうしつ",
        "ヤマダ",
        "匿名加工ーず",
        "プライバシー・ワーカーズ",
        "ぱんだ",
        "ばんだ",
        "はんだ",
        "高橋",
        "髙橋",
    ),
    *("か゚き゚く゚", "〇×△", "東京大学A", "東京大学B", "①班", "②班", "㈱データ", "🍣チーム", "Red ❤️"),
)
OTHERS = (
    "Équipe Été",
    "Đội Việt Nam",
    "ทีมน้ำ",
    "दिल्ली",
    "שָׁלוֹם",
    "Команда",
    "Ομάδα",
    "فريق",
    "한국팀",
    "Ångström",
)


@pytest.mark.parametrize("name", [*JAPANESE, *OTHERS])
def test_names_as_people_write_them_are_accepted(name):
    assert names.clean_new_name(name)


def test_no_two_of_them_are_taken_for_the_same():
    alike = [
        (one, other)
        for one, other in combinations((*JAPANESE, *OTHERS), 2)
        if names.looks(one) & names.looks(other)
    ]
    assert alike == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Paris", "Рaris"),  # a Cyrillic letter
        ("PARIS", "РАRІS"),
        ("Alpha", "Αlpha"),  # a Greek letter
        ("alpha", "αlpha"),
        ("Bee", "ВEE"),
        ("Ian", "lan"),  # a capital I and a small l
        ("Team 0", "Team O"),
        ("チーム力", "チームカ"),
        ("チームー", "チーム一"),
        ("ロボ", "口ボ"),
        ("ﾃﾞｰﾀ班", "データ班"),
        ("ＤＡＴＡ", "data"),
    ],
)
def test_a_name_that_looks_like_another_is_taken(cast, first, second):
    services.rename_team(user=cast.alice, team=cast.red, name=first)
    with pytest.raises(RefusedError) as refusal:
        services.create_team(user=cast.eve, contest=cast.contest, name=second)
    assert refusal.value.code == "name_taken"
    found = lists.read(cast.contest, f"{second},,x@example.org")
    assert [problem.line for problem in found.problems] == [1]


def test_a_list_does_not_name_two_teams_that_look_the_same(cast):
    found = lists.read(cast.contest, "Paris,,x@example.org\nРaris,,y@example.org")
    assert "looks like" in found.problems[0].words


@pytest.mark.parametrize(
    "name",
    ["Re" + "\u0301\u0302\u0303" * 9 + "d", "e\u0301\u0302\u0303\u0304\u0306", "a\u0323\u0323"],
)
def test_letters_under_heaps_of_marks_are_refused(cast, as_user, name):
    with pytest.raises(ValidationError):
        names.clean_new_name(name)
    for address, field in (
        (reverse("team-create", args=["cup"]), "name"),
        (reverse("account"), "display_name"),
    ):
        page = as_user(cast.eve).post(address, {field: name}).content.decode()
        assert "more diacritics than any language uses" in page
    assert Team.objects.count() == 2


@pytest.mark.parametrize("name", ["Re\u200bd", "\u202eder", "a\u2066b", "\ufeffRed", "Red\u200d"])
def test_what_cannot_be_seen_is_refused(name):
    with pytest.raises(ValidationError):
        names.clean_new_name(name)


def test_names_from_before_stay(cast):
    old = "Re" + "\u0301" * 27 + "d"
    Team.objects.filter(pk=cast.red.pk).update(name=old)
    twin = factories.make_team(cast.contest, "Вlue", cast.eve)
    assert laws.is_team_name(old)
    twin.refresh_from_db()
    assert twin.name == "Вlue"
    assert services.rename_team(user=cast.eve, team=twin, name="Green").name == "Green"

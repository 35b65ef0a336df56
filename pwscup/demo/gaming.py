# SPDX-License-Identifier: Apache-2.0
"""News of the two finished cups with different rules: each refers to the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import reverse

from pwscup.notices import services
from pwscup.notices.sending.texts import address

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from pwscup.contests.models import Contest

GAMED = {
    "title": "The same cup under rules against score gaming",
    "title_ja": "スコア稼ぎへの対策を入れた同じカップ",
    "text": (
        "Here Yamaoka has the best table: its amounts are those of the original, and it declares rows of similar "
        "records, so that the attacks by declared rows re-identify nobody. The same teams also anonymized the "
        "same original table under rules with nearest-link, a risk without declared rows, marginals, a utility "
        "over all quasi-identifiers, and the median of an attacker's rates in place of the mean: {url}"
    ),
    "text_ja": (
        "このカップではYamaokaの匿名加工が1位です。機微属性の値は元データのままで、行番号だけを似たレコードと"
        "入れ替えて申告しているため、申告をもとにした再識別率ではほとんど見つかりません。"
        "申告によらないリスク指標nearest-linkと、すべての準識別子を見る有用性指標marginalsを加え、"
        "再識別率の平均を中央値に替えたルールで、同じチームが同じ元データを加工した結果も比べてみてください：\n{url}"
    ),
}
ANSWERED = {
    "title": "The effect of the rules against score gaming",
    "title_ja": "スコア稼ぎへの対策で何が変わるか",
    "text": (
        "The table of Yamaoka has a worst rate near 0 under the rules of 2015, and one of 100 % here: "
        "nearest-link compares its amounts with the originals whatever rows are declared, and marginals measures which "
        "quasi-identifiers were unified. The attack board shows medians: a few tables that are practically "
        "the original do not decide the ranks. The board under the rules of 2015: {url}"
    ),
    "text_ja": (
        "Yamaokaの最大再識別率は2015年のルールでは0に近く、ここでは100％です。"
        "nearest-linkは行番号の申告によらず金額を元データと比べ、"
        "marginalsはどの準識別子が統一されたかを捉えるためです。"
        "攻撃の順位表は中央値によるので、元データとほとんど変わらないデータが少しあっても順位は上がりません。"
        "2015年のルールでの順位表：\n{url}"
    ),
}


def announce(organizer: User, gamed: Contest, answered: Contest) -> None:
    """Announce in each contest a comparison with the other one's board."""
    for contest, other, words in ((gamed, answered, GAMED), (answered, gamed, ANSWERED)):
        url = address(reverse("board", args=[other.slug]))
        values = {name: text.format(url=url) for name, text in words.items()}
        services.publish_announcement(
            actor=organizer, contest=contest, values={**values, "is_pinned": True}
        )

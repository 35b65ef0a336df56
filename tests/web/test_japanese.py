# SPDX-License-Identifier: Apache-2.0
"""The typography and the terms of the Japanese catalogue, and of the Japanese texts of the rulesets."""

from __future__ import annotations

import re
import tomllib
from datetime import timedelta
from pathlib import Path

import polib
import pytest
from django import forms
from django.template import Context, Template
from django.utils import timezone, translation

from pwscup.formats.series.boards import ATTACK
from pwscup.leaderboards.boards.tables import table_of
from tests.every import every
from tests.web import board_facts

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = polib.pofile(ROOT / "locale/ja/LC_MESSAGES/django.po")
TEXTS = [
    text
    for entry in CATALOGUE
    for text in (entry.msgstr_plural.values() if entry.msgid_plural else [entry.msgstr])
]
LETTER = "[ぁ-ゖァ-ヺー々一-龥]"
# Placeholders, tags and addresses are not text; (c, l)-多様性 is the notation of its paper.
NO_TEXT = re.compile(r"%\(\w+\)\.?\d*[a-z]|\{\w+\}|<[^>]+>|https?://|\(c, l\)|\b[a-z]+=\S+")
# One word for each concept: the words that would be a second one.
SECOND_WORDS = {
    "キャプテン": "代表者",
    "ラウンド": "フェーズ",
    "再識別フェーズ": "攻撃フェーズ",
    "再識別手法": "攻撃手法",
    "再識別したチーム": "攻撃したチーム",
    "攻撃ファイル": "推定ファイル",
    "チームを抜け": "チームから脱退",
    "ハウスチーム": "ベースラインチーム",
    "運営側": "主催者またはベースライン",
    "ハッシュ（": "ハッシュ値（",
    "運営チーム": "ベースラインチーム",
    "締め切り": "締切",
    "括弧": "かっこ",
    "疑似": "擬似",
    "ライブラリー": "ライブラリ",
    "ユーザ名": "表示名",
    "比重": "重み",
    "監査ログ": "操作記録",
    "監査記録": "操作記録",
    "監査証跡": "操作記録",
    "秘密の値": "秘密値",
    "解答キー": "正解データ",
    "却下": "不受理",
    "機密属性": "機微属性",
    "ローカル差分": "局所差分",
    "ランダム化回答": "ランダム化応答",
    "推定行番号ファイル": "推定ファイル",
    "組合せ": "組み合わせ",
    "雛形": "ひな型",
    "〜": "～",
}
RULES = {
    "a half-width bracket next to Japanese": rf"{LETTER} ?\(|\) ?{LETTER}|\({LETTER}|{LETTER}\)",
    "a half-width colon next to Japanese": rf"{LETTER} ?:|: ?{LETTER}",
    "a half-width comma next to Japanese": rf"{LETTER} ?,|, ?{LETTER}",
    "a space before a percent sign": r"\d +[%％]|\x00 +(?:%%|％)",
    "a half-width percent sign in Japanese": rf"(?:\d|\x00)%%? ?{LETTER}",
    "a space between a digit or a value and Japanese": rf"{LETTER} [\d\x00]|[\d\x00] {LETTER}",
    "a space between Latin letters and Japanese": rf"{LETTER} [A-Za-z]|[A-Za-z] {LETTER}",
}


def faults(text: str) -> list[str]:
    """The rules and terms that a Japanese text does not keep."""
    if not re.search(LETTER, text):
        return []
    plain = NO_TEXT.sub("\x00", text)
    found = [name for name, rule in RULES.items() if re.search(rule, plain)]
    return found + [f"{word}, not {term}" for word, term in SECOND_WORDS.items() if word in text]


def test_each_rule_finds_its_fault():
    wrong = {
        "データ(CSV)": 1,
        "理由: 値": 1,
        "値, 順位": 1,
        "約10 ％です": 1,
        "10%です": 1,
        "残り 3 回": 1,
        "QR コード": 1,
        "チームのキャプテン": 1,
        "データ（CSV）、残り%(n)s回：10％、(c, l)-多様性": 0,
    }
    assert {text: len(faults(text)) for text in wrong} == wrong


def test_the_catalogue_keeps_the_rules_of_japanese_texts():
    assert len(TEXTS) > 2000
    assert {text: found for text in TEXTS if (found := faults(text))} == {}


DOCUMENTS = [ROOT / "README.ja.md", *sorted((ROOT / "docs").rglob("*.ja.md"))]
# Examples, code, addresses, emphasis, and brackets of formulas such as R(n) and (2 + 1) / 6.
NO_PROSE = re.compile(r"^ *```.*?^ *```|\]\([^)]*\)|\*|\([ -~½]*\)", re.DOTALL | re.MULTILINE)


@every(path=DOCUMENTS)
def test_documents_keep_the_rules_of_japanese_texts(path):
    text = re.sub(r"`[^`]*`|<[^>]+>", "`", NO_PROSE.sub("", path.read_text("utf-8")))
    found = {line: wrong for line in text.split("\n") if (wrong := faults(line))}
    assert found == {}


def test_rulesets_keep_the_rules_of_japanese_texts():
    texts = [
        text for path in RULESETS for text in _japanese(tomllib.loads(path.read_text("utf-8")))
    ]
    assert len(texts) > 50
    assert {text: found for text in texts if (found := faults(text))} == {}


TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
IN_CATALOGUE = re.compile(r"{%\s*blocktranslate\b.*?{%\s*endblocktranslate\s*%}", re.DOTALL)
PUNCTUATION = re.compile(
    r"(?:\}\}|%\}|</(?:a|code|span|strong)>)(?:: ?|, | ?\()(?=\{\{|\{%|<)|\(\{%|\|join:\", \""
)
RANKS = 'class="measure-rank">({{', "leaderboard' %}\">({{"  # numbers in a table of numbers


@every(path=TEMPLATES)
def test_punctuation_between_parts_is_that_of_the_language(path):
    """Use `colon`, `comma`, `bracketed`, `named`, `noted` and `listed`: Japanese has full-width ones."""
    html = path.read_text("utf-8")
    for rank in RANKS:
        html = html.replace(rank, "")
    html = IN_CATALOGUE.sub("{{ text }}", html)
    found = [html[max(0, at.start() - 40) : at.end() + 20] for at in PUNCTUATION.finditer(html)]
    assert found == []


def test_texts_of_packages_keep_the_rules_of_japanese_texts():
    """Those of Django and allauth that pages show, too."""
    in_90_days = timezone.now() + timedelta(days=90, hours=1)
    shown = Template(
        "{% load pwscup %}{{ at|timeuntil }} {{ 592|filesizeformat }} <b>{{ 2 }}</b>{{ note|bracketed }}"
        "{% colon %}{{ 5|percents }}{% comma %}"
    )
    with translation.override("ja"):
        text = shown.render(Context({"at": in_90_days, "note": "<i>"}))
        form = forms.Form()
        form.fields["number"] = forms.DecimalField(max_value=5, max_digits=3, decimal_places=1)
        form.is_bound, form.data = True, {"number": "12.345"}
        errors = form.errors["number"]
    assert text == "2ヶ月、4週間 592バイト <b>2</b>（&lt;i&gt;）：5％、"
    assert len(errors) > 1
    assert [found for error in errors if (found := faults(error))] == []


def test_safety_and_protection_have_different_names():
    """Safety is a family of measures, protection the score that attacks leave."""
    named = {entry.msgid: entry.msgstr for entry in CATALOGUE if not entry.msgctxt}
    assert named["Safety"] != named["Protection"]


@pytest.mark.django_db
def test_pages_of_re_identification_know_one_rate(cast, as_user):
    """The headers of boards said “成功率” where their captions said “再識別率”."""
    board_facts.game(cast.contest)
    client = as_user(cast.alice)
    client.cookies["django_language"] = "ja"
    for board in ("anonymization", "attack", "matrix"):
        page = client.get(f"/c/cup/board/?board={board}").content.decode()
        assert "成功率" not in page, board
        assert "再識別率" in page, board
    attack = client.get("/c/cup/round/attack/").content.decode()
    assert "成功率" not in attack
    assert "再識別率" in attack
    with translation.override("ja"):
        series = table_of("attack", {"kind": "attack", "rows": []}, ATTACK)
    assert str(series.columns[0].title) == "平均超過正解率"


RULESETS = sorted((ROOT / "scoring/rulesets/data").glob("*.toml"))


def _japanese(value: object) -> list[str]:
    """Every text under a key `ja`, however deep."""
    if isinstance(value, list):
        return [text for part in value for text in _japanese(part)]
    if not isinstance(value, dict):
        return []
    here = [text for key, text in value.items() if key == "ja" and isinstance(text, str)]
    return here + [text for part in value.values() for text in _japanese(part)]

# SPDX-License-Identifier: Apache-2.0
"""A raw export of a synthetic hospital, as an office gives it: CP932, names, dates, separators and missing values.

All figures are round numbers chosen for this generator and describe no country, no hospital and no person. The
output is public domain (CC0).
"""

from __future__ import annotations

import csv
import io
from datetime import date, timedelta

import numpy as np

from scoring.datasets.hospital import DISEASES, MAX_RECORDS

ENCODING = "cp932"
HEADER = (
    "患者番号",
    "氏名",
    "性別",
    "生年月日",
    "郵便番号",
    "入院日",
    "診断名",
    "身長",
    "体重",
    "HbA1c",
    "医療費",
)
"""Columns: number of the patient, name, sex, date of birth, postal code, day of admission, diagnosis, height in cm,
weight in kg, HbA1c in %, cost of treatment in yen."""

_FAMILY = (
    *("佐藤", "鈴木", "高橋", "田中", "伊藤", "渡辺", "山本", "中村", "小林", "加藤"),
    *("吉田", "山田", "佐々木", "山口", "松本", "井上", "木村", "林", "清水", "斎藤"),
)
_GIVEN = {
    "男": (
        *("蓮", "大翔", "悠真", "湊", "健太", "翔太", "拓也", "大輔"),
        *("誠", "博", "茂", "清", "進", "勇", "隆", "実"),
    ),
    "女": (
        *("陽葵", "結菜", "葵", "凛", "美咲", "愛", "彩", "麻衣"),
        *("恵", "由美子", "洋子", "和子", "節子", "久美", "京子", "幸子"),
    ),
}
_DIAGNOSES = {
    "gastritis": "胃炎",
    "dyspepsia": "機能性ディスペプシア",
    "flu": "インフルエンザ",
    "bronchitis": "気管支炎",
    "pneumonia": "肺炎",
    "asthma": "喘息",
    "hypertension": "高血圧症",
    "diabetes": "糖尿病",
    "arthritis": "関節炎",
    "migraine": "片頭痛",
    "fracture": "骨折",
    "appendicitis": "虫垂炎",
    "dermatitis": "皮膚炎",
    "gallstones": "胆石症",
    "depression": "うつ病",
    "cataract": "白内障",
}
_TOWNS = ((150, 0.34), (160, 0.26), (184, 0.18), (190, 0.14), (206, 0.08))
"""The first three digits of postal codes, and their shares."""
_FIRST_DAY, _N_DAYS = date(2025, 4, 1), 365
_OLDEST = 100


def raw_hospital(n_records: int, *, seed: int) -> bytes:
    """Draw the raw export of a hospital: a CSV file in CP932 with lines that end with CR and LF, as Excel writes it.

    Names repeat; numbers of patients do not. Dates are `1957/3/9` and `2025-04-01`; costs are quoted and have a
    thousands separator; HbA1c has five decimals. About 6 % of sexes, weights and values of HbA1c are missing, as an
    empty cell, `NA`, `-` or `不明`.

    Parameters
    ----------
    n_records : int
        Admissions, one for each patient, 1 to 100,000.
    seed : int
        0 or more. The same numbers give the same bytes.

    Returns
    -------
    bytes
        A header of `HEADER` and `n_records` records.

    Raises
    ------
    ValueError
        A number is out of range.

    Examples
    --------
    >>> print(raw_hospital(2, seed=1).decode("cp932").replace("\\r", "").splitlines()[0])
    患者番号,氏名,性別,生年月日,郵便番号,入院日,診断名,身長,体重,HbA1c,医療費
    """
    if not 1 <= n_records <= MAX_RECORDS:
        raise ValueError(f"n_records: expected 1 to {MAX_RECORDS}, got {n_records}")
    if seed < 0:
        raise ValueError(f"seed: expected 0 or more, got {seed}")
    rng = np.random.default_rng(seed)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(HEADER)
    writer.writerows(_records(rng, n_records))
    return text.getvalue().encode(ENCODING)


def _records(rng: np.random.Generator, n_records: int) -> list[tuple[str, ...]]:
    """The cells of all records."""
    weights = np.array([disease.weight for disease in DISEASES])
    codes = rng.choice(len(DISEASES), size=n_records, p=weights / weights.sum())
    mean = np.array([disease.age for disease in DISEASES])[codes]
    spread = np.array([disease.spread for disease in DISEASES])[codes]
    age = np.clip(np.abs(rng.normal(mean, spread)), 0.5, _OLDEST)
    is_male = rng.random(n_records) < 0.48
    admitted = rng.integers(0, _N_DAYS, n_records)
    grown = np.clip(age / 17, 0.35, 1)
    height = (np.where(is_male, 170.0, 157.0) + rng.normal(0, 6, n_records)) * grown
    weight = height**2 / 10_000 * np.clip(rng.normal(22.5, 3.2, n_records), 15, 42)
    diabetic = np.array([disease.name == "diabetes" for disease in DISEASES])[codes]
    sugar = np.clip(5.4 + age / 250 + 1.8 * diabetic + rng.normal(0, 0.35, n_records), 4, 14)
    cost = np.exp(rng.normal(11.6 + age / 120, 0.7, n_records))
    towns = rng.choice(len(_TOWNS), size=n_records, p=[share for _code, share in _TOWNS])
    blocks = rng.integers(0, 60, n_records)
    family = rng.integers(0, len(_FAMILY), n_records)
    given = rng.integers(0, len(_GIVEN["男"]), n_records)
    numbers = rng.permutation(900_000)[:n_records] + 100_000
    sexes = _with_missing(rng, ["男" if male else "女" for male in is_male], ("", "不明"))
    kilograms = _with_missing(rng, [f"{value:.1f}" for value in weight], ("", "NA", "-"))
    percents = _with_missing(rng, [f"{value:.5f}" for value in sugar], ("NA", ""))
    found: list[tuple[str, ...]] = []
    for at in range(n_records):
        day = _FIRST_DAY + timedelta(days=int(admitted[at]))
        born = day - timedelta(days=int(age[at] * 365.25))
        name = _GIVEN["男" if is_male[at] else "女"][given[at]]
        found.append(
            (
                f"K{numbers[at]}",
                f"{_FAMILY[family[at]]}　{name}",
                sexes[at],
                f"{born.year}/{born.month}/{born.day}",
                f"{_TOWNS[towns[at]][0]}-{blocks[at]:04}",
                day.isoformat(),
                _DIAGNOSES[DISEASES[codes[at]].name],
                f"{height[at]:.1f}",
                kilograms[at],
                percents[at],
                f"{int(cost[at] // 10 * 10):,}",
            )
        )
    return found


def _with_missing(rng: np.random.Generator, cells: list[str], signs: tuple[str, ...]) -> list[str]:
    """The cells with one of `signs` in the place of about 6 % of them."""
    is_missing = rng.random(len(cells)) < 0.06
    chosen = rng.integers(0, len(signs), len(cells))
    triples = zip(cells, is_missing, chosen, strict=True)
    return [signs[sign] if missing else cell for cell, missing, sign in triples]

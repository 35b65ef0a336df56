# SPDX-License-Identifier: Apache-2.0
"""Kit: the files of a contest in a folder, and all that the library does with them without the site."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pwscup.client import downloads, places
from pwscup.client.errors import FileError
from pwscup.client.sites import site_of

if TYPE_CHECKING:
    import pandas as pd

    from scoring import Schema
    from scoring.rulesets import Ruleset

NAME = "pwscup.json"
"""The file in the folder that says which contest it is of."""
ORIGINAL, SCHEMA, RULES = "original", "schema", "rules"
VERSION = 1


@dataclass
class Kit:
    """The downloaded files of a contest.

    Attributes
    ----------
    folder : Path
    site, contest : str
        Where they come from.
    files : dict of str to str
        Names of files by what they are: `original`, `schema`, `rules`, and further ones.
    """

    folder: Path
    site: str
    contest: str
    files: dict[str, str] = field(default_factory=dict)

    @classmethod
    def find(cls, start: str | Path = ".") -> Kit:
        """The kit in a folder.

        Raises
        ------
        FileError
            Where there is none.
        """
        folder = Path(start)
        if not (folder / NAME).is_file():
            shown = folder.resolve()
            raise FileError(
                f"no contest in {shown} — expected a folder that `pwscup download` has written: "
                "go there, or name it with --kit",
                code="kit.missing",
            )
        found = places.read_json(folder / NAME)
        contest, files = found.get("contest"), found.get("files")
        if not isinstance(contest, str) or not isinstance(files, dict):
            raise FileError(f"{folder / NAME}: expected a contest and its files", code="kit.unfit")
        names = {str(key): downloads.checked_name(str(name)) for key, name in files.items()}
        return cls(folder, site_of(str(found.get("site", ""))), contest, names)

    def save(self) -> None:
        """Write what the folder is of."""
        values = {
            "version": VERSION,
            "site": self.site,
            "contest": self.contest,
            "files": self.files,
        }
        data = json.dumps(values, ensure_ascii=False, indent=1)
        places.write(self.folder / NAME, f"{data}\n".encode())

    def path(self, what: str) -> Path:
        """The path of a file.

        Raises
        ------
        FileError
            Where it was not downloaded.
        """
        if what not in self.files:
            raise FileError(
                f"{self.folder} has no file {what!r} — got {', '.join(self.files) or 'none'}: "
                "download it again when the site offers it",
                code="kit.no_file",
            )
        return self.folder / self.files[what]

    def has(self, what: str) -> bool:
        """True where a file was downloaded."""
        return what in self.files

    @cached_property
    def schema(self) -> Schema:
        """The columns of the table."""
        from scoring import Schema

        return Schema.from_toml(self.path(SCHEMA).read_text(encoding="utf-8-sig"))

    @cached_property
    def ruleset(self) -> Ruleset:
        """The rules of the contest."""
        from scoring import plugins
        from scoring.rulesets.loader import parse_archived

        plugins.load()
        return parse_archived(self.path(RULES).read_text(encoding="utf-8-sig"))

    def original(self, what: str = ORIGINAL) -> pd.DataFrame:
        """The table to anonymize."""
        import scoring

        return scoring.read(self.path(what), self.schema)

    def validate(self, anonymized: Any, rows: Any = None) -> Any:
        """Check a submission by the rules of the contest, as `scoring.validate` does."""
        import scoring

        return scoring.validate(
            self.original(), anonymized, self.schema, rows=rows, ruleset=self.path(RULES)
        )

    def score(self, anonymized: Any, rows: Any = None, **options: Any) -> Any:
        """Measure a submission by the rules of the contest, as `scoring.score` does."""
        import scoring

        return scoring.score(
            self.original(), anonymized, self.schema, rows=rows, ruleset=self.path(RULES), **options
        )

    def attack(self, published: Any, method: str, **options: Any) -> Any:
        """Guess the rows of a published table, as `scoring.attack` does."""
        import scoring

        return scoring.attack(self.original(), published, method, self.schema, **options)


def arguments_for(
    command: str, kit: Kit, given: Sequence[str], options: Sequence[str]
) -> list[str]:
    """The arguments of `python -m scoring` for files of a kit; further options are left as they are.

    Parameters
    ----------
    command : {"validate", "score", "attack"}
    kit : Kit
    given : sequence of str
        Of an attack, method and table; else the table, and perhaps its row numbers.
    options : sequence of str

    Raises
    ------
    FileError
        Where there is nothing to do at home with such files.
    """
    if command == "attack":
        return [*_attack(kit, *given), *options]
    kinds = {spec.kind for round in kit.ruleset.rounds for spec in round.files}
    table, *rows = given
    schema = ["--schema", str(kit.path(SCHEMA))]
    rules = ["--ruleset", str(kit.path(RULES))]
    if not kit.has(ORIGINAL):
        raise FileError(
            "nothing can be measured at home: nobody gets the table of this contest; the site checks a file when it "
            "is submitted, and a rejected one uses no attempt",
            code="kit.no_table",
        )
    tables = str(kit.path(ORIGINAL))
    if "series" in kinds:
        return [
            "sequential",
            "score",
            *rules,
            *schema,
            "--tables",
            tables,
            "--series",
            table,
            *options,
        ]
    found = [command, *rules, *schema, "--original", tables, "--anonymized", table]
    return [*found, *(["--rows", *rows[:1]] if rows else []), *options]


def _attack(kit: Kit, method: str, table: str) -> list[str]:
    """Files next to a table say what attackers have: candidates, individuals, or the original."""
    schema = ["--schema", str(kit.path(SCHEMA))]
    path = Path(table)
    people = path.with_name(path.name.replace("_series.zip", "_people.zip"))
    if people != path and people.is_file():
        named = ["--people", str(people), "--series", table, "--method", method]
        return ["sequential", "guess", *schema, *named]
    candidates = path.with_name(path.name.replace("_anonymized.csv", "_candidate.csv"))
    if candidates != path and candidates.is_file():
        return ["attack", method, *schema, "--candidates", str(candidates), "--table", table]
    original = ["--original", str(kit.path(ORIGINAL))]
    return ["attack", method, *schema, *original, "--anonymized", table]

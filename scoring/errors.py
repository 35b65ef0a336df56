# SPDX-License-Identifier: Apache-2.0
"""Problems in uploaded files: where, what, expected and got."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

MAX_REPORTED = 200
MAX_GOT = 60


def gettext_noop(message: str) -> str:
    """Mark a message as translatable; the caller translates it."""
    return message


_ = gettext_noop

MESSAGES: dict[str, str] = {
    # the file as a whole
    "file.empty": _("the file is empty — expected a header line and at least one record"),
    "file.no_rows": _("the file is empty — expected one row number per line"),
    "file.header_only": _("only a header line — expected at least one record after it"),
    "file.binary": _(
        "not a text file — expected CSV text in UTF-8 — got a NUL byte at byte {byte}"
    ),
    "file.known_format": _("not a text file — expected CSV text in UTF-8 — got {got}"),
    "file.excel": _(
        "an Excel workbook — expected CSV: in Excel, save it as “CSV UTF-8 (comma delimited)” — got {got}"
    ),
    "file.tabs": _(
        "cells separated by tabs — expected commas: in Excel, save it as “CSV UTF-8 (comma delimited)”"
    ),
    "file.semicolons": _("cells separated by semicolons — expected commas"),
    "file.utf16": _(
        "wrong character encoding — expected UTF-8: in Excel, save it as “CSV UTF-8 (comma delimited)” — got UTF-16"
    ),
    "file.cp932": _(
        "wrong character encoding — expected UTF-8: in Excel, save it as “CSV UTF-8 (comma delimited)” — got CP932 "
        "(Shift_JIS) with characters that cannot be read"
    ),
    "file.not_utf8": _(
        "wrong character encoding — expected UTF-8 — got byte 0x{got} on line {line}"
    ),
    "file.bare_cr": _(
        "a carriage return without line feed on line {line} — expected lines that end with LF or CRLF"
    ),
    "file.line_too_long": _("line {line} is too long — expected at most {expected} characters"),
    "file.cell_too_long": _(
        "a cell on line {line} is too long — expected at most {expected} characters; "
        "is a quotation mark never closed?"
    ),
    "file.quote": _(
        "a quotation mark is misplaced or never closed on line {line} — expected cells quoted as in "
        'CSV, with "" for a quotation mark inside'
    ),
    "file.too_many_records": _("too many records — expected at most {expected} — got more"),
    "file.too_few_records": _("too few records — expected at least {expected} — got {got}"),
    "file.too_few_of_value": _(
        "too few records whose value is {value} — expected at least {expected} — got {got}"
    ),
    "file.gave_up": _("reading stopped after {expected} unusable records"),
    # notes on files that were accepted
    "note.cp932": _(
        "read as CP932 (Shift_JIS), as Excel on Japanese Windows saves “CSV” — no character was lost; “CSV UTF-8 "
        "(comma delimited)” keeps all characters"
    ),
    "note.other_order": _(
        "the records are those of the original, but in another order — each is compared with the row that is declared "
        "for it, or with the line of the same number — if a spreadsheet sorted the table, undo that and submit it again"
    ),
    "note.sorted": _(
        "the table is sorted by this column, and its records fit their rows of the original no better than by chance — "
        "each is compared with the row that is declared for it, or with the line of the same number — if a spreadsheet "
        "sorted the table, undo that and submit it again"
    ),
    "note.full_width": _("full-width digits were read as ASCII digits — such as “{got}”"),
    # the header
    "header.no_line": _("the first line is empty — expected the header"),
    "header.missing": _("a column is missing in the header — expected {expected}"),
    "header.unexpected": _("the header names a column that does not belong there — got {got}"),
    "header.repeated": _("the header names a column twice — got {got}"),
    "header.order": _(
        "the header's columns are in another order — expected {expected} — got {got}"
    ),
    "header.empty_name": _("the header has a column without a name, at position {position}"),
    # records and cells
    "record.cell_count": _("wrong number of cells — expected {expected} — got {got}"),
    "record.empty_line": _("an empty line — expected a record of {expected} cells"),
    "cell.empty": _("an empty cell — expected a value"),
    "cell.not_a_number": _("not a number — expected digits such as 1234 or -0.5 — got “{got}”"),
    "cell.text": _("a text in a column of numbers — expected a number — got “{got}”"),
    "cell.not_text": _("not a text in a column of categories — expected a text — got {got}"),
    "cell.not_finite": _(
        "not a finite number — expected digits such as 1234 or -0.5 — got “{got}”"
    ),
    "cell.exponent": _("a number with an exponent — expected plain digits — got “{got}”"),
    "cell.separator": _("a number with separators — expected plain digits — got “{got}”"),
    "cell.not_ascii_digits": _(
        "digits that are not the ASCII digits 0–9 — expected plain digits — got “{got}”"
    ),
    "cell.spaces": _("spaces around a number — expected plain digits — got “{got}”"),
    "cell.too_many_digits": _(
        "too many digits — expected at most {expected} before the decimal point — got “{got}”"
    ),
    "cell.too_many_decimals": _("too many decimals — expected at most {expected} — got “{got}”"),
    "cell.not_an_integer": _("not an integer — expected no decimals — got “{got}”"),
    "cell.below_minimum": _(
        "below the column's minimum — expected at least {expected} — got {got}"
    ),
    "cell.above_maximum": _("above the column's maximum — expected at most {expected} — got {got}"),
    "cell.not_in_values": _("not one of the column's values — expected {expected} — got “{got}”"),
    "cell.too_long": _("the cell is too long — expected at most {expected} characters — got {got}"),
    # gates: bounds of measures
    "gate.above": _(
        "outside of the bounds of the rules — expected a value of {measure} of at most {expected} — got {got}"
    ),
    "gate.below": _(
        "outside of the bounds of the rules — expected a value of {measure} of at least {expected} — got {got}"
    ),
    "gate.unknown": _(
        "outside of the bounds of the rules — expected a value of {measure}, which cannot be computed of this table"
    ),
    # row numbers and guesses
    "row_number.empty_line": _("an empty line — expected a row number of the original table"),
    "row_number.not_an_integer": _("not a row number — expected an integer — got “{got}”"),
    "row_number.zero": _("row numbers start at 1 — expected 1 to {expected} — got 0"),
    "row_number.negative": _("a negative row number — expected {low} to {expected} — got {got}"),
    "row_number.too_large": _(
        "no such row in the original table — expected {low} to {expected} — got {got}"
    ),
    "row_number.repeated": _(
        "row {got} is named twice — expected each row once — first in line {first}"
    ),
    "row_number.count": _("wrong number of lines — expected {expected}, one a record — got {got}"),
    "row_number.header": _("an unknown header — expected “row” or a number — got “{got}”"),
    # aligned tables, and guesses of candidates
    "aligned.count": _(
        "wrong number of lines after the header — expected {expected}, one for each record of the "
        "original — got {got}"
    ),
    "aligned.parts_differ": _(
        "a record that is deleted in one table only — expected it to be deleted in {expected} as well, or in neither"
    ),
    "aligned.partly_empty": _(
        "an empty cell in a record that is not deleted — expected a value, or a line of empty cells only"
    ),
    "aligned.all_deleted": _("every record is deleted — expected at least one that is kept"),
    "aligned.not_in_original": _(
        "a value that the column does not have in the original table — expected one that occurs there, for a "
        "generalized cell any value of its group — got “{got}”"
    ),
    "candidate.not_an_integer": _(
        "not a line of the candidate table — expected an integer, 0 or nothing for no guess — got “{got}”"
    ),
    "candidate.negative": _(
        "a negative number — expected 0 to {expected}, 0 for no guess — got {got}"
    ),
    "candidate.too_large": _(
        "no such line in the candidate table — expected 0 to {expected}, 0 for no guess — got {got}"
    ),
    "candidate.count": _(
        "wrong number of lines — expected {expected}, one for each line of the attacked table, empty "
        "ones among them — got {got}"
    ),
    "candidate.header": _("an unknown header — expected only numbers — got “{got}”"),
    # the key of a lecture contest
    "lecture_key.unknown_team": _(
        "the key has no such team — expected one of {expected} — got “{got}”"
    ),
    "lecture_key.records": _(
        "the key does not fit the original — expected its {expected} records, each once — got {got} lines"
    ),
    "lecture_key.repeated_candidate": _(
        "the key names a candidate twice — expected another for each record of {got}"
    ),
    # a submission
    "submission.swapped": _(
        "the two files are swapped — expected the anonymized table first and the row numbers second"
    ),
    "submission.no_rows": _(
        "no row numbers — expected a row-number file, or a column {expected} in the table"
    ),
    "submission.too_slow": _(
        "scoring takes too long — expected at most {expected} seconds — got more in each of {n} attempts"
    ),
    # programs as scorers
    "program.rejected": _("the organizers’ program rejects the submission — {got}"),
    "program.list": _("program {name}: the administrator’s list of programs cannot be used"),
    "program.not_allowed": _("program {name}: the administrator has not allowed it"),
    "program.unreadable": _("program {name}: its files cannot be read"),
    "program.too_large": _(
        "program {name}: its folder holds more than {n} files or {expected} bytes; keep libraries elsewhere"
    ),
    "program.empty": _("program {name}: its folder holds no file"),
    "program.limit": _("program {name}: it exceeded the limit of {got}"),
    "program.status": _("program {name}: it ended with exit status {got}"),
    "program.signal": _("program {name}: it ended with signal {got}"),
    "program.no_result": _("program {name}: it wrote no {expected}"),
    "program.no_object": _("program {name}: {got} is no JSON object"),
    "program.no_number": _("program {name}: {file} has no number {id}"),
    "program.out_of_range": _("program {name}: {id} in {file} is not from {low} to {high}"),
    "program.no_message": _("program {name}: {file} names no message of the ruleset"),
    # plugins
    "plugin.measure": _("the plugin’s measure {id} failed — got {got}"),
    "plugin.value": _(
        "the plugin’s measure {id} gave a wrong value — expected a number from {low} to {high}, or none"
    ),
    "plugin.absent": _("the measure {id} is of a plugin that is not installed"),
    "plugin.attack": _("the plugin’s attack {id} failed — got {got}"),
    "plugin.guess": _(
        "the plugin’s attack {id} gave a wrong answer — expected a row of the original, from 0, or -1 for each record"
    ),
    "plugin.generator": _("the generator of the format {id} failed — got {got}"),
    "plugin.table": _(
        "the generator of the format {id} gave a wrong table — expected the columns of its rules — got {got}"
    ),
    # model files
    "model.too_large": _("the file is too large — expected at most {expected} bytes — got {got}"),
    "model.not_json": _("not a model that XGBoost saved as JSON — expected JSON text — got {got}"),
    "model.missing_key": _(
        "key {key} is missing — expected a model that XGBoost saved as JSON with save_model"
    ),
    "model.wrong_objective": _("wrong objective of the model — expected {expected} — got “{got}”"),
    "model.wrong_booster": _("wrong booster of the model — expected {expected} — got “{got}”"),
    "model.trees": _(
        "wrong number of trees — expected as many as the file declares, {expected} — got {got}"
    ),
    "model.features": _(
        "wrong number of names of features — expected as many as the file declares, {expected} — got {got}"
    ),
    "model.other_feature": _(
        "a tree refers to a feature that the model does not have — expected 1 to {expected} — got {got}"
    ),
    "model.repeated_feature": _("two features have one name — expected each once — got “{got}”"),
    "model.unknown_feature": _(
        "the model has a feature that the table lacks — expected a number’s column, or a category’s column, “_” and "
        "one of its values, of the columns {expected} — got “{got}”"
    ),
    "model.too_slow": _("applying the model takes too long — expected at most {expected} seconds"),
    "model.too_much": _("applying the model takes more memory or space than allowed"),
    "model.outputs": _("wrong {key} of a binary classifier — expected {expected} — got {got}"),
    "model.refused": _("XGBoost cannot read the model — got “{got}”"),
    "model.shape": _(
        "wrong number of predictions — expected {expected}, one for each record — got {got}"
    ),
    "model.not_a_probability": _(
        "a prediction of the model is no probability — expected a number from 0 to 1 for each record"
    ),
    # TOML documents: schemas and rulesets
    "toml.syntax": _("not TOML — {got}"),
    "toml.unknown_key": _("unknown key {key} — expected one of {expected}"),
    "toml.missing_key": _("key {key} is missing — expected {expected}"),
    "toml.wrong_type": _("key {key} has the wrong type — expected {expected} — got {got}"),
    "toml.wrong_value": _("key {key} has a wrong value — expected {expected} — got “{got}”"),
    # raw files, before they are prepared
    "raw.empty": _("the file has no cell — expected a line of column names and records"),
    "raw.old_workbook": _(
        "an Excel workbook of an old version or with a password — expected .xlsx without a password"
    ),
    "raw.workbook_broken": _("the workbook is damaged — expected .xlsx as Excel saves it"),
    "raw.no_sheet": _("no such sheet — expected one of {expected} — got “{got}”"),
    "raw.too_large": _(
        "reading the workbook takes too much memory or time — expected at most {expected} MiB unpacked, and a sheet "
        "without cells far away from the table"
    ),
    "raw.too_many_cells": _("too many cells — expected at most {expected} — got {got}"),
    "raw.encoding": _(
        "line {line} is not in this encoding — expected {expected} — got {got}; choose another encoding"
    ),
    "raw.binary": _("not a text file — expected a text — got a NUL byte on line {line}"),
    "raw.no_header": _("no such line for the column names — expected 1 to {expected} — got {got}"),
    "raw.cell_count": _("wrong number of cells on line {line} — expected {expected} — got {got}"),
    "raw.merged": _(
        "the sheet has merged cells, of which only the first has a value — got {got} merged areas"
    ),
    "raw.formulas": _(
        "the workbook has formulas, of which the results that were saved with it are read — got {got} formulas"
    ),
    "raw.empty_lines": _("empty lines are left out — got {got}"),
    "raw.named": _("the column at position {position} got another name — got “{got}”"),
    # steps that prepare a table
    "step.version": _("the file of steps has another version — expected {expected} — got “{got}”"),
    "step.unknown": _("step {n}: no such step — expected one of {expected} — got “{got}”"),
    "step.unknown_key": _("step {n}: unknown key {key} — expected one of {expected}"),
    "step.missing_key": _("step {n}: key {key} is missing — expected {expected}"),
    "step.wrong_value": _(
        "step {n}: key {key} has a wrong value — expected {expected} — got “{got}”"
    ),
    "step.unknown_column": _(
        "step {n}: no such column at this step — expected one of {expected} — got “{got}”"
    ),
    "step.no_columns": _("step {n}: no column is left — expected at least one"),
    "step.no_records": _("step {n}: no record is left — expected at least one"),
    "step.name_taken": _(
        "step {n}: another column has this name — expected a new name — got “{got}”"
    ),
    "step.no_value": _(
        "step {n}: every value of the column is missing — expected some — got “{got}”"
    ),
    "step.not_numbers": _(
        "step {n}: column {column} is not of numbers only — expected numbers, made plain by a step before — got “{got}”"
    ),
    "cheater.unknown": _("no such cheater — expected one of {expected} — got “{got}”"),
    # anonymizers, attacks and their options
    "anonymizer.unknown": _("no such anonymizer — expected one of {expected} — got “{got}”"),
    "anonymizer.too_few": _(
        "too few records for {method} — expected at least {expected} — got {got}"
    ),
    "attack.unknown": _("no such attack — expected one of {expected} — got “{got}”"),
    "measure.unknown": _("no such measure — expected one of {expected} — got “{got}”"),
    "option.unknown": _("unknown option {option} of {method} — expected {expected}"),
    "option.wrong_value": _(
        "option {option} of {method} has a wrong value — expected {expected} — got “{got}”"
    ),
    # files of generalization hierarchies
    "hierarchy.unreadable": _(
        "the file cannot be used — expected JSON, an object by column, each key once — got “{got}”"
    ),
    "hierarchy.unknown_column": _(
        "no such column in the table — expected one of {expected} — got “{got}”"
    ),
    "hierarchy.unknown_key": _("unknown key {key} — expected one of {expected}"),
    "hierarchy.missing_key": _("key {key} is missing — expected {expected}"),
    "hierarchy.wrong_value": _("key {key} has a wrong value — expected {expected} — got “{got}”"),
    "hierarchy.missing_value": _(
        "a value of the column has no entry — expected one for every value that occurs — "
        "got “{got}”"
    ),
    "hierarchy.not_nested": _(
        "the depths are not nested — expected each group of the finer one within a group of the "
        "coarser one — got {got}"
    ),
    # ranking formulas, and files of rates and scores
    "formula.unknown": _("no such formula — expected one of {expected} — got “{got}”"),
    "scores.first_column": _(
        "the header begins with another column — expected {expected} — got “{got}”"
    ),
    "scores.no_defenders": _(
        "the header names no team — expected {expected}, and then one column for each defender"
    ),
    "scores.spaces": _("spaces around a team's name — expected none — got “{got}”"),
    "scores.repeated": _(
        "a team has two lines — expected one — got “{got}” again, first in record {first}"
    ),
    "scores.unknown_team": _(
        "no such team in the matrix — expected one of {expected} — got “{got}”"
    ),
    # tables of counts
    "counts.last_column": _(
        "the last column is not that of the counts — expected {expected} — got “{got}”"
    ),
    "counts.no_attributes": _("no attribute — expected at least one column before {expected}"),
    "counts.not_a_count": _("not a count — expected an integer of at least 0 — got “{got}”"),
    "counts.too_large": _("a count that is too large — expected at most {expected} — got {got}"),
    "counts.one_value": _("an attribute with one value — expected at least two — got “{got}” only"),
    "counts.too_many_cells": _(
        "too many combinations of values — expected at most {expected} — got {got}"
    ),
    "counts.repeated_cell": _(
        "a combination of values has two counts — expected one — got {got} again, first in record {first}"
    ),
    "counts.missing_cell": _(
        "a combination of values has no count — expected one for each, 0 among them — got none for {got}"
    ),
    "counts.no_records": _("all counts are 0 — expected at least one record"),
    # attributes, questions and estimates of a hidden table
    "attribute.unknown_column": _(
        "no such column in the table — expected one of {expected} — got “{got}”"
    ),
    "attribute.repeated_column": _("a column is named twice — expected each once — got “{got}”"),
    "attribute.no_values": _(
        "a column whose values are not listed — expected a category with a list of values — got {got}"
    ),
    "attribute.reserved_name": _("the name “{got}” is reserved for the counts — expected another"),
    "query.not_an_object": _("not a question — expected an object with {expected} — got {got}"),
    "query.unknown_key": _("unknown key {key} — expected one of {expected}"),
    "query.missing_key": _("key {key} is missing — expected {expected}"),
    "query.wrong_type": _("key {key} has the wrong type — expected {expected} — got {got}"),
    "query.no_values": _("a filter without values — expected at least one"),
    "query.unknown_value": _("not one of the column's values — expected {expected} — got “{got}”"),
    "query.repeated_value": _("a value is listed twice — got “{got}”"),
    "query.epsilon": _(
        "not an ε — expected a number above 0 with at most {expected} decimal places — got “{got}”"
    ),
    "estimate.missing_cells": _(
        "combinations of values have no count — expected one for each of {expected}, 0 among them — "
        "got none for {missing}, such as {got}"
    ),
    # tables of a sequential release, and its releases
    "sequential.identifiers": _(
        "the schema's columns do not fit a sequential release — expected one identifier — got {got}"
    ),
    "sequential.sensitive_columns": _(
        "the schema's columns do not fit a sequential release — expected one sensitive column — got {got}"
    ),
    "sequential.no_quasi_identifier": _(
        "the schema's columns do not fit a sequential release — expected at least one quasi-identifier — got 0"
    ),
    "sequential.no_order": _(
        "the schema's columns do not fit a sequential release — expected the values of a category in their order — "
        "got no values"
    ),
    "sequential.sensitive_kind": _(
        "the schema's columns do not fit a sequential release — expected a sensitive category — got {got}"
    ),
    "sequential.sensitive_name": _(
        "the schema's columns do not fit a sequential release — expected a name of the sensitive column that no "
        "other column of a release has — got “{got}”"
    ),
    "sequential.repeated_id": _(
        "an id occurs twice in one table — expected each once — got “{got}” again, first in record {first}"
    ),
    "sequential.returned": _(
        "a record comes back after its deletion — expected a new id — got “{got}”, last in table {last}"
    ),
    "sequential.changed_value": _(
        "a record's sensitive value changes — expected “{expected}”, as in table {first} — got “{got}”"
    ),
    "sequential.not_eligible": _(
        "“{value}” is too frequent among the {n} new records that no group of before takes up, which must be "
        "{m}-eligible — expected at most {expected} — got {got}"
    ),
    "sequential.missing_release": _(
        "each table needs its release — expected {expected} — got {got}"
    ),
    "release.box": _(
        "the lower bound of an interval is above its upper bound — expected {low} ≤ {high}"
    ),
    "release.other_box": _(
        "different intervals from those of the group's first row — expected {expected} — got {got}"
    ),
    "release.other_last": _(
        "a different previous group from that of the group's first row — expected {expected} — got {got}"
    ),
    "release.unknown_last": _(
        "no such group in the release before — expected 0 to {expected} — got {got}"
    ),
    "release.repeated_value": _(
        "group {group} has a value twice — expected each once — got “{got}” again"
    ),
    "release.small_group": _(
        "group {group} is too small — expected at least {expected} rows — got {got}"
    ),
    "release.no_row": _(
        "no remaining row has the value of “{id}” and intervals that contain it — expected a row for each record"
    ),
    "release.signature": _(
        "“{id}” cannot be in groups of one signature in all releases — expected one that stays"
    ),
    "release.unknown_group": _(
        "no such group in the release — expected 1 to {expected} — got {got}"
    ),
    "release.repeated_group": _("group {got} has two lines — expected one"),
    "release.too_few_rows": _(
        "the release has fewer rows than its table has records — expected at least {expected} — got {got}"
    ),
    "release.too_many_rows": _(
        "more rows than the limits allow — expected at most {expected}, those of all records and counterfeits — got "
        "{got}"
    ),
    "release.too_many_pairs": _(
        "too many pairs of a record and a possible row — expected at most {expected}, smaller "
        "regions or fewer counterfeits — got {got}"
    ),
    "release.too_many_places": _(
        "too many pairs of a record and a possible row for possible worlds — expected at most "
        "{expected}, fewer records or row counting — got {got}"
    ),
    "release.counterfeits": _(
        "the counterfeits of all groups do not equal the rows without a record — expected {expected} — "
        "got {got}"
    ),
    "release.too_many_counterfeits": _(
        "group {group} has fewer rows than counterfeits — expected at most {expected} — got {got}"
    ),
    # archives of several files
    "bundle.broken": _("not a zip archive, or a damaged one — expected a zip archive of CSV files"),
    "bundle.broken_file": _(
        "a damaged file in the archive — expected the files packed again — got “{got}”"
    ),
    "bundle.compression": _("an unusual compression — expected “deflate” or none — got “{got}”"),
    "bundle.empty": _("no files in the archive — expected CSV files"),
    "bundle.encrypted": _(
        "an encrypted file — expected an archive without a password — got “{got}”"
    ),
    "bundle.file_too_large": _(
        "a file in the archive is too large — expected at most {expected} — got more in “{got}”"
    ),
    "bundle.missing": _("a file is missing — expected {expected}"),
    "bundle.nested": _("another archive in the archive — expected CSV files — got “{got}”"),
    "bundle.path": _(
        "a path that may lead out of the archive — expected file names, or folders with “/” between their "
        "names — got “{got}”"
    ),
    "bundle.repeated": _("a file is there more than once — expected one {expected} — got {got}"),
    "bundle.too_large": _(
        "the archive unpacks to too much — expected at most {expected} — got more"
    ),
    "bundle.too_many": _(
        "the archive holds too many files — expected at most {expected} — got more"
    ),
    "bundle.unknown": _("a file of another name — expected {expected} — got “{got}”"),
    # series of releases, and guesses of sensitive values
    "series.unknown_id": _("no such id in the tables — expected one of theirs — got “{got}”"),
    "series.not_alive": _(
        "the record is not in the table of that time — expected an id of {expected} — got “{got}”"
    ),
    "series.deleted_twice": _(
        "a record is left out twice — expected each id once — got “{got}” again, first in {first}"
    ),
    "series.some_counterfeits": _(
        "numbers of counterfeits are published for some releases only — expected {expected}, or none at all"
    ),
    "series.too_many_deleted": _(
        "too many records are left out — expected at most {expected} of the {n} records of all tables — got {got}"
    ),
    "series.too_many_displaced": _(
        "too many records are outside the intervals of their row — expected at most {expected} of {n} — got {got}"
    ),
    "series.too_many_counterfeits": _(
        "too many counterfeits — expected at most {expected} for the {n} records of all tables — got {got}"
    ),
    "value_guess.unknown_id": _("no record has that id — expected one of the tables — got “{got}”"),
    "value_guess.repeated_id": _(
        "a person is guessed twice — expected each id once — got “{got}” again, first in record {first}"
    ),
    # sheets of questions and answer files
    "answer.not_asked": _(
        "not a question of the sheet — expected a number from 1 to {expected} — got “{got}”"
    ),
    "answer.repeated": _(
        "question {got} is answered twice — expected one line for each question — first in record {first}"
    ),
    "answer.missing": _(
        "{n} questions have no line — expected a line for each of {expected} questions — none for {got}"
    ),
    "answer.bit": _("not a bit — expected 0 or 1 — got “{got}”"),
    "answer.ones": _("another number of ones — expected exactly {expected} — got {got}"),
    "answer.confidence": _("not a confidence — expected a number from 0 to 1 — got “{got}”"),
    "answer.interval": _("an interval that ends before it begins — expected low ≤ high"),
    "answer.half_interval": _("half of an interval — expected both ends, or none"),
    "answer.wide_interval": _(
        "the interval is too wide — expected a width of at most {expected} — got {got}"
    ),
    "answer.line": _(
        "not a line of the published table — expected 1 to {expected}, or -1 for none — got “{got}”"
    ),
    "answer.line_zero": _("line 0 — expected lines from 1, or -1 for none"),
    "answer.after_none": _("a line after -1 or an empty cell — expected the named lines first"),
    "answer.candidate_twice": _("a line is named twice for a question — expected different lines"),
    "answer.header": _(
        "not a file of answers for several targets — expected the columns {expected}, or question and a column for "
        "each target — got {got}"
    ),
    "answer.no_target": _("not a target of this round — expected one of {expected} — got “{got}”"),
    "question.no_column": _(
        "question {key} names a column that the table does not have — expected one of {expected} — got {got}"
    ),
    "question.no_number": _(
        "question {key} asks for an interval of a column without numbers — expected a column of numbers — got {got}"
    ),
    "question.reserved": _(
        "the table has a column of the name that numbers the questions of {key} — expected another name — got {got}"
    ),
    "question.nothing_asked": _(
        "question {key} has too few columns to ask — expected known columns that leave out at least {expected}"
    ),
    # schemas
    "schema.no_columns": _("no columns — expected at least one [[column]]"),
    "schema.repeated_name": _("two columns have one name — got “{got}”"),
    "schema.reserved_name": _(
        "the name “{got}” is reserved for the row numbers — expected another"
    ),
    "schema.min_above_max": _("min is above max — expected min ≤ max — got {min} and {max}"),
    "schema.cross_not_quasi_identifier": _(
        "cross is set — expected role quasi_identifier where cross is true — got {got}"
    ),
    "schema.range_on_category": _("key {key} on a category — expected it on numbers only"),
    "schema.values_on_number": _("key values on a number — expected it on categories only"),
    "schema.repeated_value": _("a value is listed twice — got “{got}”"),
    "schema.unknown_column": _("{key} names no column of the schema — got “{got}”"),
    "schema.not_numeric_sensitive": _(
        "{key} names an unsuitable column — expected a sensitive column of kind integer or number — "
        "got “{got}”"
    ),
}


def shorten(value: object, limit: int = MAX_GOT) -> str:
    """A value as messages quote it, shortened."""
    text = str(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a file: a stable code and what its message needs."""

    code: str
    params: Mapping[str, str | int | float] = field(default_factory=dict)
    file: str | None = None
    row: int | None = None
    column: str | None = None

    @property
    def message(self) -> str:
        """The problem, the expected and the found value, in English."""
        return MESSAGES[self.code].format(**self.params)

    @property
    def where(self) -> str:
        """File, record and column, in English; empty where none is known."""
        parts = [
            self.file,
            self.row and f"record {self.row}",
            self.column and f"column {self.column}",
        ]
        return ", ".join(str(part) for part in parts if part)

    def __str__(self) -> str:
        return f"{self.where} — {self.message}" if self.where else self.message

    def to_dict(self) -> dict[str, Any]:
        """The problem as JSON-able data."""
        return {
            "code": self.code,
            "params": dict(self.params),
            "file": self.file,
            "row": self.row,
            "column": self.column,
        }

    @classmethod
    def from_dict(cls, d: Mapping[str, Any]) -> Problem:
        """The inverse of `to_dict`."""
        return cls(
            code=d["code"],
            params=dict(d.get("params") or {}),
            file=d.get("file"),
            row=d.get("row"),
            column=d.get("column"),
        )


class ProblemsFound(ValueError):  # noqa: N818 — the file is at fault, not the program
    """The submitted files cannot be used.

    Attributes
    ----------
    problems : tuple of Problem
        The first `MAX_REPORTED` problems, in file order.
    n_total : int
        The number of all problems found.
    """

    def __init__(self, problems: Iterable[Problem], n_total: int | None = None) -> None:
        found = tuple(problems)
        self.problems = found[:MAX_REPORTED]
        self.n_total = len(found) if n_total is None else n_total
        super().__init__(self.problems, self.n_total)

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems]
        left_out = self.n_total - len(lines)
        return "\n".join([*lines, f"and {left_out} more"] if left_out > 0 else lines)


class ScorerError(RuntimeError):
    """A program or a plugin failed: the message is for organizers and holds no value of a table.

    `problem` is the same, to be translated.
    """

    def __init__(self, code: str, **params: str | int | float) -> None:
        self.problem = Problem(code, params)
        super().__init__(self.problem.message)


class PluginError(ScorerError):
    """The function of a plugin failed."""


class Collector:
    """Gathers problems: keeps the first `MAX_REPORTED` and counts the rest."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.n_total = 0

    def add(
        self,
        code: str,
        *,
        file: str | None = None,
        row: int | None = None,
        column: str | None = None,
        **params: str | int | float,
    ) -> None:
        """Note one problem."""
        self.extend([Problem(code, params, file, row, column)])

    def extend(self, problems: Iterable[Problem], n_total: int | None = None) -> None:
        """Note several problems, `n_total` of them where only the first are given."""
        found = list(problems)
        self.problems.extend(found[: self.n_left])
        self.n_total += len(found) if n_total is None else n_total

    @property
    def n_left(self) -> int:
        """The number of further problems that it keeps."""
        return MAX_REPORTED - len(self.problems)

    def __bool__(self) -> bool:
        return self.n_total > 0

    def raise_if_any(self) -> None:
        """Raise `ProblemsFound` where something was noted."""
        if self.n_total:
            raise ProblemsFound(self.problems, self.n_total)

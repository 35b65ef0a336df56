# SPDX-License-Identifier: Apache-2.0
"""The form of an experiment: bounds, all mistakes at once, and nothing lost."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from pwscup.experiments import tables
from pwscup.experiments.models import Experiment, Upload
from pwscup.experiments.setup import forms, plans, texts
from pwscup.experiments.setup.fields import NumbersField
from scoring.datasets.households import households
from scoring.privacy.experiments.counts import Counts
from tests.web.experiments import COUNTS, make_experiment

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("announced")]
NEW = "/experiments/new/"
RECORDS = b"sex,age,city\n" + b"".join(
    f"{'FM'[n % 2]},{20 + n % 3},town {n}\n".encode() for n in range(12)
)


@pytest.fixture(autouse=True)
def alice(cast, as_user):
    return as_user(cast.alice)


def filled(**changes: Any) -> dict[str, Any]:
    """The form as it is proposed, with changes."""
    proposed = {key: value for key, value in forms.proposals(None).items() if value is not None}
    texts = {"epsilons": "0.1, 1, 4", "queries": "1, 14"}
    return proposed | texts | changes


def file(data: bytes, name: str = "mine.csv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


def errors(answer) -> dict[str, list[str]]:
    assert answer.status_code == 422
    assert not Experiment.objects.exists()
    return dict(answer.context["form"].errors)


def made(answer) -> Experiment:
    assert answer.status_code == 302, answer.context["form"].errors
    return Experiment.objects.get()


# Numbers in one line


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("0.1, 1, 4", [0.1, 1.0, 4.0]),
        ("4 1;4、0.5", [4.0, 1.0, 0.5]),
        ("０．１，１", [0.1, 1.0]),
    ],
)
def test_numbers_between_commas_spaces_or_full_width_signs(text, numbers):
    field = NumbersField(low=0.001, high=100, most=3)
    assert field.clean(text) == numbers


@pytest.mark.parametrize("text", ["0", "-1", "1e3", "nan", "inf", "1_0", "one", "0.1234567", "101"])
def test_what_is_no_number_within_the_bounds_is_named(text):
    with pytest.raises(forms.ValidationError, match=f"“{text}” cannot be used"):
        NumbersField(low=0.001, high=100, most=3).clean(f"1, {text}")


def test_every_wrong_number_is_named_and_so_is_their_number():
    with pytest.raises(forms.ValidationError) as caught:
        NumbersField(low=1, high=9, most=2, whole=True).clean("0, 1.5, 2, 3, 4")
    assert len(caught.value.messages) == 3


# Data


def test_households_are_counted_by_the_chosen_columns(alice):
    answer = alice.post(
        NEW,
        filled(
            source="households",
            n_records="500",
            households_seed="3",
            households_columns=["sex", "tenure"],
        ),
    )
    experiment = made(answer)
    expected = Counts.of_records(households(500, seed=3), ["sex", "tenure"])
    assert tables.from_json(experiment.counts).table.tolist() == expected.table.tolist()
    assert experiment.origin == {"n_records": 500, "seed": 3}


def test_a_file_of_counts(alice):
    experiment = made(alice.post(NEW, filled(source="counts", file=file(COUNTS))))
    assert experiment.counts["values"] == [["F", "M"]]
    assert experiment.origin["name"] == "mine.csv"
    assert len(experiment.origin["sha256"]) == 64


def test_a_file_of_records_is_read_its_columns_are_ticked_and_it_is_counted(alice):
    typed = filled(source="records", trials="7", file=file(RECORDS), read="1")
    page = alice.post(NEW, typed)
    assert page.status_code == 200
    assert "“mine.csv” has been read" in page.text
    assert [name for name, _ in page.context["form"].file_columns] == ["sex", "age", "city"]
    assert page.context["form"]["trials"].value() == "7"
    assert 'role="alert"' not in page.text

    del typed["file"], typed["read"]
    experiment = made(alice.post(NEW, typed | {"file_columns": ["age", "sex"]}))
    assert experiment.counts["attributes"] == ["sex", "age"]  # as in the file
    assert experiment.counts["table"] == [[2, 2, 2], [2, 2, 2]]
    assert experiment.setup["trials"] == 7
    assert not Upload.objects.exists()


def test_nothing_is_lost_when_something_is_wrong(alice):
    typed = filled(
        source="records",
        name="Mine",
        epsilons="0.1, none",
        trials="0",
        batch=["BR"],
        file_columns=["sex"],
        file=file(RECORDS),
    )
    page = alice.post(NEW, typed)
    assert set(errors(page)) == {"epsilons", "trials"}
    form = page.context["form"]
    assert (form["name"].value(), form["epsilons"].value()) == ("Mine", "0.1, none")
    assert form.file_columns == [("sex", True), ("age", False), ("city", False)]
    assert 'value="BR"' in page.text
    del typed["file"]
    made(alice.post(NEW, typed | {"epsilons": "0.1", "trials": "2"}))


def test_all_mistakes_of_all_parts_are_told_at_once(alice, cast):
    make_experiment(cast.alice, state=Experiment.State.RUNNING)
    page = alice.post(
        NEW,
        {"source": "households", "n_records": "1", "epsilons": "x", "queries": "0", "trials": "z"},
    )
    found = page.context["form"].errors
    assert set(found) == {
        "__all__",
        *("n_records", "households_seed", "households_columns"),
        *("epsilons", "queries", "trials", "seed", "aggregate", "rule", "start"),
        *("max_iterations", "tolerance"),
    }
    for messages in found.values():
        for message in messages:
            assert message in page.context["form"].errors.as_text()


def test_mistakes_in_what_is_not_chosen_do_not_matter(alice):
    broken = file(b"\x89PNG")
    answer = alice.post(NEW, filled(n_records="x", households_columns=["none"], file=broken))
    assert made(answer).source == "published"


def test_every_problem_of_a_file_stands_in_a_table(alice):
    data = b"sex,count\nF,-1\nF,2\nM,x\n"
    page = alice.post(NEW, filled(source="counts", file=file(data)))
    assert errors(page)["file"] == ["3 problems with the data: see the table."]
    for words in ("not a count", "has two counts", "got “-1”", "got “x”", "mine.csv"):
        assert words in page.text


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n", b"a,a\n1,2\n"])
def test_a_file_that_cannot_be_read_is_not_kept(alice, data):
    page = alice.post(NEW, filled(source="counts", file=file(data), read="1"))
    assert errors(page)["file"] == ["1 problem with the data: see the table."]
    assert not Upload.objects.exists()


def test_a_file_that_is_missing_too_large_or_too_wide(alice, monkeypatch, settings):
    assert errors(alice.post(NEW, filled(source="counts")))["file"] == ["Choose a file."]
    settings.MAX_TABLE_COLUMNS = 2
    page = alice.post(NEW, filled(source="records", file=file(RECORDS)))
    assert "3 columns" in errors(page)["file"][0]
    monkeypatch.setattr(tables, "MAX_BYTES", 10)
    page = alice.post(NEW, filled(source="records", file=file(RECORDS)))
    assert "too large" in errors(page)["file"][0]
    assert not Upload.objects.exists()


def test_columns_must_be_chosen_and_must_have_values(alice):
    page = alice.post(NEW, filled(source="records", file=file(RECORDS)))
    assert errors(page)["file"] == ["Choose the columns of the file below."]
    one_value = b"sex,age\nF,1\nF,2\n"
    answer = alice.post(NEW, filled(source="records", file=file(one_value), file_columns=["sex"]))
    assert errors(answer)["file"] == ["1 problem with the data: see the table."]
    assert "an attribute with one value" in answer.text


# What only data and settings together decide


def test_cells_are_bounded_and_names_fit_the_figures(alice, monkeypatch):
    monkeypatch.setattr(tables, "MAX_CELLS", 11)
    typed = filled(source="records", file=file(RECORDS), file_columns=["city"])
    assert "at most 11 — got 12" in errors(alice.post(NEW, typed))["file"][0]
    long_name = COUNTS.replace(b"sex", b"s" * 41)
    answer = alice.post(NEW, filled(source="counts", file=file(long_name)))
    assert "at most 40 characters" in errors(answer)["file"][0]


def test_trials_times_cells_and_methods_are_bounded(alice, monkeypatch):
    monkeypatch.setattr(plans, "MAX_TRIAL_CELLS", 14 * 20)
    assert errors(alice.post(NEW, filled(trials="21")))["trials"] == [
        "At most 20 trials for so many cells, methods and ε."
    ]
    monkeypatch.setattr(plans, "MAX_NUMBERS", 14 * 4 * 3 * 10)
    assert "At most 10 trials" in errors(alice.post(NEW, filled(trials="21")))["trials"][0]


def test_reconstruction_is_bounded_where_it_is_done(alice, monkeypatch):
    monkeypatch.setattr(plans, "MAX_RECONSTRUCTION", plans.LEAST_CELLS * 30 * 3 * 100)
    assert errors(alice.post(NEW, filled()))["max_iterations"] == [
        "At most 100 iterations for so many cells, trials and ε."
    ]
    made(alice.post(NEW, filled(batch=["BT"])))


def test_the_first_taylor_term_has_an_end(alice):
    page = alice.post(NEW, filled(rule="taylor", epsilons="1, 9"))
    assert "below 9" in errors(page)["epsilons"][0]
    made(alice.post(NEW, filled(rule="taylor", epsilons="1, 8.9")))


def test_each_attribute_may_have_its_own_rate(alice):
    page = alice.post(NEW, filled(weights="1, 3"))
    assert "each attribute has its own ρ" in errors(page)["weights"][0]
    page = alice.post(NEW, filled(rule="divided", weights="1, 1, 3"))
    assert errors(page)["weights"] == ["Expected one part for each of 2 attributes, got 3."]
    asked = made(alice.post(NEW, filled(rule="divided", weights="1, 1")))
    assert (asked.setup["rule"], asked.setup["weights"]) == ("divided", [1, 1])
    assert plans.setup_of(asked.setup).weights == (1, 1)
    assert texts.rule(asked.setup) == "separate for each attribute (1:1)"


def test_settings_that_were_kept_before_there_were_weights_are_read():
    kept = {name: value for name, value in plans.DEFAULTS.items() if name != "weights"}
    assert plans.setup_of(kept).weights == ()
    assert texts.rule(kept) == "exact"


def test_some_method_must_be_chosen(alice):
    typed = filled(queries="")
    del typed["batch"]
    assert "Choose a batch method" in errors(alice.post(NEW, typed))["queries"][0]


# Again


def test_an_earlier_experiment_is_run_again_on_its_data_with_other_settings(alice, cast):
    setup = plans.DEFAULTS | {"rule": "taylor", "epsilons": [0.5], "trials": 9}
    earlier = make_experiment(cast.alice, state=Experiment.State.DONE, name="First", setup=setup)
    address = f"{NEW}?like={earlier.public_id}"
    form = alice.get(address).context["form"]
    proposed = {name: form[name].value() for name in form.fields if form[name].value() is not None}
    assert (proposed["source"], proposed["rule"], proposed["trials"]) == ("earlier", "taylor", 9)
    answer = alice.post(address, proposed | {"epsilons": "0.5", "queries": "1", "rule": "exact"})
    assert answer.status_code == 302
    again = Experiment.objects.get(number=2)
    assert (again.source, again.origin, again.counts) == (
        earlier.source,
        earlier.origin,
        earlier.counts,
    )
    assert again.setup == setup | {"rule": "exact", "queries": [1]}


@pytest.mark.parametrize("like", ["x", "6b1dbd2e-25c3-4a5b-9b0a-6e7e4a0b5f5e"])
def test_what_is_no_earlier_experiment_is_not_found(alice, like):
    assert alice.get(NEW, {"like": like}).status_code == 404


def test_the_address_of_the_form():
    assert reverse("experiment-new") == NEW

# SPDX-License-Identifier: Apache-2.0
"""Errors of estimates as an oracle: the attack that read 108 of 108 hidden counts out of 37 exact errors.

Every published function of a chosen answer and sealed data is a release: errors are therefore computed from noisy
counts that are drawn once.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from django.utils import timezone

from pwscup.contests import truth
from pwscup.contests.models import Contest, Dataset
from pwscup.core import jobs
from pwscup.core.files import storage
from pwscup.core.models import Event, StoredFile
from pwscup.debriefings import services as debriefings
from pwscup.debriefings.models import Debriefing
from pwscup.formats.hidden import setup
from pwscup.formats.hidden.disclosed import target_attributes
from pwscup.submissions import evaluation
from pwscup.submissions.models import Evaluation, Submission
from pwscup.submissions.services import submit
from scoring.formats.disclosure.estimates import marks, read_answer, write_estimate
from scoring.privacy.sampling import noisy_counts, secure
from scoring.rulesets import load_ruleset
from tests import factories
from tests.web import archives, crawler, pipeline
from tests.web.api import Program

pytestmark = pytest.mark.usefixtures("sent")
TRUTH = np.array([count for *_, count in factories.DP_COUNTS]).reshape(2, 3)


def probes(n_cells: int, weights: tuple[int, ...]) -> list[np.ndarray]:
    """Zeros, and for each part of the cells an estimate that gives each of them another weight."""
    found = [np.zeros(n_cells, dtype=np.int64)]
    for first in range(0, n_cells, len(weights)):
        part = slice(first, first + len(weights))
        probe = np.zeros(n_cells, dtype=np.int64)
        probe[part] = weights[: len(probe[part])]
        found.append(probe)
    return found


def decoded(errors: list[float], n_cells: int, weights: tuple[int, ...]) -> list[int]:
    """The counts out of the errors of `probes`: 2 e·t = |e|² + |t|² - error², and e·t has a digit for each cell."""
    whole, counts = errors[0] ** 2, []
    for probe, error in zip(probes(n_cells, weights)[1:], errors[1:], strict=True):
        product = round((float(probe @ probe) + whole - error**2) / 2)
        digits = []
        for weight in sorted(weights[: np.count_nonzero(probe)], reverse=True):
            digit, product = divmod(product, weight)
            digits.append(digit)
        counts += reversed(digits)
    return counts


def test_exact_errors_disclose_all_108_counts():
    rng = np.random.default_rng(36)
    hidden = rng.integers(0, 400, 108)
    weights = (1, 512, 512**2)
    errors = [round(marks(probe, hidden)["table-L2"], 9) for probe in probes(108, weights)]
    assert len(errors) == 37
    assert decoded(errors, 108, weights) == hidden.tolist()


def test_with_noise_the_attack_gets_the_noisy_counts_whatever_it_asks():
    """Its share of exact counts is that of the noise: tanh(ε/4) for discrete Laplace noise of scale 2/ε."""
    epsilon = load_ruleset("dp-disclosure").disclosure.errors_epsilon
    rng = np.random.default_rng(37)
    weights, n_tables, exact = (1, 512, 512**2), 40, 0
    for _ in range(n_tables):
        hidden = rng.integers(50, 400, 108)
        compared = noisy_counts(hidden, 2, epsilon, secure())
        errors = [round(marks(probe, compared)["table-L2"], 9) for probe in probes(108, weights)]
        found = decoded(errors, 108, weights)
        assert found == compared.tolist()
        exact += np.count_nonzero(found == hidden)
    share, n = math.tanh(float(epsilon) / 4), 108 * n_tables
    assert abs(exact - n * share) < 5 * math.sqrt(n * share * (1 - share))
    assert share < 0.5


# On the platform


def contest_of(cast, errors: str) -> SimpleNamespace:
    contest = factories.make_dp_contest(organizer=cast.oscar, errors=errors)
    return pipeline.two_teams(cast, contest)


def estimated(user, team, counts: np.ndarray) -> Submission:
    round = next(round for round in team.contest.rounds.all() if round.is_open(timezone.now()))
    data = write_estimate(counts.reshape(TRUTH.shape), target_attributes(team.contest))
    files = {"estimate": ("e.csv", data)}
    made = submit(user=user, team=team, round=round, files=files, arrived_at=timezone.now())
    return pipeline.scored(made)


def read_out(cup, user, team, weights: tuple[int, ...]) -> list[int]:
    """The counts that a team decodes from what the API shows after the end."""
    ids = [estimated(user, team, probe).public_id for probe in probes(TRUTH.size, weights)]
    end(cup.contest)
    program = Program(user)
    errors = [program.get(f"/submissions/{one}").json()["values"]["table-L2"] for one in ids]
    return decoded(errors, TRUTH.size, weights)


def end(contest: Contest) -> None:
    for round in contest.rounds.all():
        if not round.has_closed(timezone.now()):
            pipeline.close(round)


def compared_with(contest: Contest) -> list[int]:
    """The counts behind the errors."""
    kept = Dataset.objects.get(contest=contest, key="reference")
    data = truth.read_sealed(kept.sealed, reason="test", contest_id=contest.pk)
    return read_answer(data, target_attributes(contest)).ravel().tolist()


def test_rules_of_before_disclose_the_table_and_say_so(cast, oscar):
    cup = contest_of(cast, errors="")
    assert read_out(cup, cast.alice, cup.red, (1, 512, 512**2)) == TRUTH.ravel().tolist()
    assert "no ε holds for the table" in oscar.get(f"/c/{cup.contest.slug}/rules/").text
    schema = Dataset.objects.get(contest=cup.contest).schema
    assert any("errors_epsilon" in text for text in setup.of_columns(schema, disclosure_of(cup)))


def disclosure_of(cup):
    return cup.contest.ruleset.disclosure


def test_two_teams_read_out_the_same_noisy_counts_and_no_estimate_has_more_digits_than_the_number_of_records(
    cast, oscar
):
    cup = contest_of(cast, errors="0.05")
    refused = estimated(cast.alice, cup.red, probes(TRUTH.size, (1, 512))[1])
    assert refused.state == "rejected"
    (problem,) = refused.problems
    assert (problem["params"]["expected"], problem["params"]["got"]) == (99, "512")
    blue = [estimated(cast.carol, cup.blue, probe) for probe in probes(TRUTH.size, (12,))]
    found = read_out(cup, cast.alice, cup.red, (12,))
    assert found == compared_with(cup.contest)
    assert found != TRUTH.ravel().tolist()  # noise of scale 40
    values = [Evaluation.objects.get(submission=one).values["table-L2"] for one in blue]
    assert decoded(values, TRUTH.size, (12,)) == found
    assert Event.objects.filter(kind="errors.noise_drawn").count() == 1
    page = oscar.get(f"/c/{cup.contest.slug}/rules/").text
    assert "costs ε = 2.05: 1 for what is released to all, 1 for its own answers and 0.05" in page
    schema = Dataset.objects.get(contest=cup.contest, key="original").schema
    assert not any("errors_epsilon" in t for t in setup.of_columns(schema, disclosure_of(cup)))


def test_nothing_about_an_estimate_depends_on_the_hidden_table_but_through_the_noisy_counts(cast):
    """Another table of as many records in place of the hidden one: values and debriefing stay, to the last digit."""
    cup = contest_of(cast, errors="2")
    made = [estimated(cast.alice, cup.red, probe) for probe in probes(TRUTH.size, (12,))]
    before = [results_of(one) for one in made]
    original = Dataset.objects.get(contest=cup.contest, key="original")
    other = (
        factories.DP_ORIGINAL.replace(b"\nF,", b"\nX,")
        .replace(b"\nM,", b"\nF,")
        .replace(b"\nX,", b"\nM,")
    )
    original.sealed = storage.store(other, area=StoredFile.Area.SEALED, name="other.csv")
    original.save()
    assert [results_of(one) for one in made] == before


def results_of(submission: Submission) -> tuple:
    fresh = Submission.objects.select_related("team", "round__contest").get(pk=submission.pk)
    values = evaluation.evaluate(fresh.pk).values
    return values, evaluation.debriefed_estimate(fresh)


def test_nowhere_is_an_exact_error_or_a_true_count(cast, as_user):
    """Pages and files for the team after the end, its debriefing, and archives without the answer key."""
    cup = contest_of(cast, errors="0.05")
    estimate = np.array([7, 11, 2, 9, 3, 8])
    estimated(cast.alice, cup.red, estimate)
    estimated(cast.carol, cup.blue, estimate[::-1])
    end(cup.contest)
    debriefings.change(
        actor=cast.oscar, contest=cup.contest, after_stages=False, discloses_table=True
    )
    jobs.work_on(Debriefing, debriefings.ensure(cup.contest, timezone.now()).pk)
    public = [
        archives.bytes_of(archives.written(cup.contest, cast.oscar, with_key=False, names=names))
        for names in ("all", "none")
    ]
    seen = [body for _, _, body in crawler.crawl(as_user(cast.alice), [f"/c/{cup.contest.slug}/"])]
    seen += [part for one in public for part in crawler.contents(one)]
    shown = b"".join(seen)
    assert b"Noisy count" in shown
    compared = np.array(compared_with(cup.contest))
    of_noise = [float(np.linalg.norm(e - compared)) for e in (estimate, estimate[::-1])]
    of_truth = [float(np.linalg.norm(e - TRUTH.ravel())) for e in (estimate, estimate[::-1])]
    assert all(f"{error:.3f}".encode()[:-1] in shown for error in of_noise)
    assert not any(f"{error:.4f}".encode()[:-1] in shown for error in of_truth)
    assert b"canary-" not in shown

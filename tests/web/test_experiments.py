# SPDX-License-Identifier: Apache-2.0
"""Privacy experiments in the browser: asked for, run, shown, stopped, deleted; and who sees them."""

from __future__ import annotations

import io
import zipfile
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from pwscup.accounts.services import delete_account
from pwscup.core import jobs
from pwscup.experiments import drawn, selectors, services
from pwscup.experiments import jobs as experiment_jobs
from pwscup.experiments.models import Experiment, ResultFile, Upload
from pwscup.experiments.setup import plans
from scoring.privacy.experiments import paper
from scoring.privacy.experiments import run as library
from tests import factories
from tests.web.experiments import SMALL, counts, make_experiment, requested

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("announced")]
State = Experiment.State


@pytest.fixture
def quick(monkeypatch):
    """A result at once where it does not matter what it is."""
    result = {"values": {}, "scoring_version": "1"}
    monkeypatch.setattr(experiment_jobs, "compute", lambda *_: (result, {"README.md": b"# Done"}))


@pytest.fixture
def alice(cast, as_user):
    return as_user(cast.alice)


def url(experiment: Experiment, name: str = "experiment") -> str:
    return reverse(name, args=[experiment.public_id])


def ended(experiment: Experiment) -> Experiment:
    jobs.work_on(Experiment, experiment.pk)
    experiment.refresh_from_db()
    return experiment


@pytest.mark.long
def test_the_experiment_of_the_paper_from_the_form_to_the_files(
    cast, alice, announced, django_capture_on_commit_callbacks, monkeypatch
):
    form = alice.get(reverse("experiment-new")).context["form"]
    proposed = {name: form[name].value() for name in form.fields if form[name].value() is not None}
    fewer = {"epsilons": "0.1, 4", "queries": "1, 14", "trials": "5"}
    with django_capture_on_commit_callbacks(execute=True):
        answer = alice.post(reverse("experiment-new"), proposed | fewer)
    made = Experiment.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, url(made))
    assert (made.owner, made.source, announced) == (cast.alice, "published", [made.pk])
    assert "waiting" in alice.get(url(made)).text

    assert ended(made).state == State.DONE
    page = alice.get(url(made)).text
    by_key = {(each["epsilon"], each["method"]): each for each in made.values["utility"]}
    assert list(by_key) == [(e, m) for e in (0.1, 4.0) for m in ("BT", "BR", "IT1", "IT14")]
    for key, each in by_key.items():
        assert f"<strong>{each['l2']:,.1f}</strong>" in page
        assert f"<strong>{each['rank_correlation']:.3f}</strong>" in page
        assert f"paper {paper.TABLE5[key][0]:,}" in page
    assert f"paper {paper.TABLE6[0.1][1]}" in page
    best = next(each for each in made.values["crossings"] if each["batch"] == "best")
    assert f"<strong>{best['first']:,}</strong>" in page
    assert f"{best['queries']:,.1f}" in page
    label = (
        "Aggregate: root mean square of trials; ρ: exact; reconstruction: from the uniform table, at most "
        "1,000 iterations, tolerance 1e-09; 5 trials, seed 1."
    )
    n_tables, n_figures = 3, 2 * 5
    assert page.count(label) == 1 + n_tables + n_figures

    archive = zipfile.ZipFile(io.BytesIO(alice.get(url(made, "experiment-zip")).content))
    names = archive.namelist()
    assert {"README.md", "tables/table5-utility.csv", "tables/table6-crossing.csv"} <= set(names)
    pictures = [name for name in names if name.startswith("figures/")]
    assert len(pictures) == n_figures + 2
    for name in pictures:
        picture = alice.get(url(made) + name.removeprefix("figures/"))
        assert picture["Content-Type"] == "image/svg+xml"
        assert picture.content == archive.read(name)
        assert url(made) + name.removeprefix("figures/") in page
    assert b"original" in archive.read("figures/figure5-bt-epsilon-0.1.svg")


def test_the_defaults_are_those_of_the_library():
    assert plans.setup_of(plans.DEFAULTS) == library.Setup()


@pytest.mark.parametrize("setup", [{}, {"batch": []}, {"queries": []}])
def test_every_step_of_the_library_has_its_words(cast, setup, sketched):
    made = make_experiment(cast.alice, setup=SMALL | setup, state=State.RUNNING)
    said: list[str] = []
    experiment_jobs.compute(made, said.append)
    assert said == plans.steps(made.setup)


def test_nobody_else_finds_an_experiment(cast, as_user):
    made = make_experiment(cast.alice, state=State.DONE)
    for other in (cast.carol, cast.bob, cast.oscar):
        client = as_user(other)
        for name in ("experiment", "experiment-status", "experiment-zip"):
            assert client.get(url(made, name)).status_code == 404
        for name in ("experiment-stop", "experiment-delete"):
            assert client.post(url(made, name)).status_code == 404
        assert client.get(reverse("experiment-new"), {"like": made.public_id}).status_code == 404
        assert made.title not in client.get(reverse("experiments")).text
    assert Experiment.objects.get() == made


def test_names_that_no_figure_has_are_looked_for_in_no_database(
    cast, alice, django_assert_num_queries
):
    """PostgreSQL has no NUL in its texts, and fails where it is asked for one."""
    made = make_experiment(cast.alice, state=State.DONE)
    known = reverse("experiment-figure", args=[made.public_id, "figure3-k"])
    assert alice.get(known).status_code == 200
    with django_assert_num_queries(3):  # the session, its person, the experiment
        assert alice.get(known.replace("3-k", "3%00")).status_code == 404


def test_the_numbers_of_a_figure_are_a_table_and_a_file(cast, alice):
    made = make_experiment(cast.alice, state=State.DONE)
    address = reverse("experiment-figure-csv", args=[made.public_id, "figure3-k"])
    lines = alice.get(address).content.decode("utf-8-sig").split()
    assert lines == ["rho,k", "0,78", "0.5,2"]
    missing = reverse("experiment-figure-csv", args=[made.public_id, "figure4"])
    assert alice.get(missing).status_code == 404


def test_a_figure_has_the_rows_of_its_epsilon_and_its_measure():
    curves = b"epsilon,queries,l2,rank_correlation,trials,seed\n1,1,9.5,0.5,2,1\n4,1,3,0.9,2,1\n"
    assert drawn.table_name("figure8-l2-epsilon-4") == "tables/figures8-9-curves.csv"
    assert drawn.sheet(curves, "figure8-l2-epsilon-4").rows == (("4", "1", "3"),)
    found = drawn.sheet(curves, "figure9-rank-correlation-epsilon-1")
    assert found == drawn.Sheet(("epsilon", "queries", "rank_correlation"), (("1", "1", "0.5"),))
    cells = b"epsilon,sex,original,median\n1,F,5,4\n1,M,9,8\n1,X,7,7\n"
    assert drawn.table_name("figure7-it1-epsilon-1") == "tables/figure7-it1.csv"
    largest = drawn.sheet(cells, "figure7-it1-epsilon-1").largest(2)
    assert [row[1] for row in largest.rows] == ["M", "X"]


def test_a_person_has_one_unfinished_experiment(cast, alice, quick):
    first = requested(cast.alice)
    with pytest.raises(services.ExperimentRefused, match=r"Experiment 1.*not done yet"):
        requested(cast.alice)
    with transaction.atomic(), pytest.raises(IntegrityError):
        make_experiment(cast.alice, state=State.WAITING)
    assert "is not done yet" in alice.get(reverse("experiment-new")).text
    requested(cast.carol)
    ended(first)
    assert requested(cast.alice).number == 2


def test_a_guest_of_a_class_starts_none(cast):
    """Anybody with the class code is a guest, and experiments take the worker for long."""
    guest = factories.make_user("guest", guest_of=cast.contest)
    with pytest.raises(services.ExperimentRefused, match="email address"):
        requested(guest)


def test_so_many_experiments_are_kept(cast, monkeypatch):
    monkeypatch.setattr(selectors, "MOST_KEPT", 1)
    first = make_experiment(cast.alice, state=State.DONE)
    with pytest.raises(services.ExperimentRefused, match="delete one first"):
        requested(cast.alice)
    services.delete(experiment=first)
    assert requested(cast.alice).pk


def test_experiments_of_all_people_run_one_after_the_other(
    cast, as_user, quick, announced, settings, django_capture_on_commit_callbacks
):
    first, second = requested(cast.alice), requested(cast.carol)
    claim = jobs.claim(Experiment, first.pk)
    assert claim
    assert not jobs.work_on(Experiment, second.pk)
    shown = as_user(cast.carol).get(url(second, "experiment-status")).text
    assert "1 experiment is ahead of it" in shown
    settings.EXPERIMENTS_AT_ONCE = 2
    assert jobs.claim(Experiment, second.pk)
    settings.EXPERIMENTS_AT_ONCE = 1
    Experiment.objects.filter(pk=second.pk).update(state=State.WAITING)
    with django_capture_on_commit_callbacks(execute=True):
        assert jobs.fail(claim, "reference")
    assert announced == [second.pk]
    assert ended(second).state == State.DONE


def test_progress_is_shown_and_polled_cheaply(cast, alice, quick):
    made = requested(cast.alice)
    claim = jobs.claim(Experiment, made.pk)
    assert jobs.note(claim, done_steps=3)
    first = alice.get(url(made, "experiment-status"))
    assert "ε = 4: answering queries" in first.text
    assert "step 4 of 6" in first.text
    assert 'value="50"' in first.text
    known = {"If-None-Match": first["ETag"]}
    assert alice.get(url(made, "experiment-status"), headers=known).status_code == 304
    assert jobs.finish(claim, State.DONE, seconds=2.0)
    last = alice.get(url(made, "experiment-status"), headers=known | {"HX-Request": "true"})
    assert (last.status_code, last["HX-Refresh"]) == (200, "true")


def test_a_page_that_waits_reloads_without_scripts(cast, alice, quick):
    made = requested(cast.alice)
    refreshed = '<noscript><meta http-equiv="refresh"'
    assert refreshed in alice.get(url(made)).text
    assert refreshed in alice.get(reverse("experiments")).text
    ended(made)
    assert refreshed not in alice.get(url(made)).text
    assert refreshed not in alice.get(reverse("experiments")).text


def test_a_killed_worker_loses_the_experiment_and_its_late_result(cast, quick, announced):
    made = requested(cast.alice)
    late = jobs.claim(Experiment, made.pk)
    Experiment.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    jobs.sweep()
    assert announced == [made.pk]
    assert not jobs.note(late, done_steps=1)
    assert not jobs.attend(late)
    assert not ResultFile.objects.exists()
    assert ended(made).state == State.DONE
    assert (made.attempts, made.files.get().data) == (2, b"# Done")


def test_a_worker_that_lost_its_claim_ends_at_the_next_step(cast, monkeypatch):
    made = requested(cast.alice)
    steps: list[str] = []

    def lose_it(experiment, step):
        for text in plans.steps(experiment.setup):
            steps.append(text)
            Experiment.objects.update(fence=99)
            step(text)

    monkeypatch.setattr(experiment_jobs, "compute", lose_it)
    assert not jobs.work_on(Experiment, made.pk)
    assert len(steps) == 1
    made.refresh_from_db()
    assert (made.state, made.done_steps) == (State.RUNNING, 0)


def test_three_silent_workers_are_enough(cast, alice):
    made = requested(cast.alice)
    for _ in range(jobs.MAX_ATTEMPTS):
        assert jobs.claim(Experiment, made.pk)
        Experiment.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        jobs.sweep()
    made.refresh_from_db()
    assert (made.state, bool(made.reference)) == (State.FAILED, True)
    assert made.reference in alice.get(url(made)).text


def test_where_we_fail_the_page_says_so_and_one_may_run_it_again(cast, alice, monkeypatch):
    made = requested(cast.alice)
    with monkeypatch.context() as patch:
        patch.setattr(experiment_jobs, "compute", lambda *_: 1 / 0)
        assert ended(made).state == State.FAILED
    page = alice.get(url(made)).text
    assert made.reference in page
    assert "ZeroDivisionError" not in page
    assert f"{reverse('experiment-new')}?like={made.public_id}" in page


def test_one_that_waits_is_stopped_at_once(cast, alice, quick):
    made = requested(cast.alice)
    assert alice.post(url(made, "experiment-stop")).status_code == 302
    assert ended(made).state == State.STOPPED
    assert "stopped" in alice.get(url(made)).text


def test_one_that_runs_is_stopped_before_its_next_step_and_then_deleted(
    cast, alice, monkeypatch, announced, django_capture_on_commit_callbacks
):
    made, waits = requested(cast.alice), requested(cast.carol)
    said: list[str] = []

    def result(experiment, step):
        for words in plans.steps(experiment.setup):
            step(words)
            said.append(words)
            alice.post(url(made, "experiment-stop"))
            page = alice.post(url(made, "experiment-delete"), follow=True).text
            assert "stop it first" in page
            assert "it stops before the next step" in page

    monkeypatch.setattr(experiment_jobs, "compute", result)
    with django_capture_on_commit_callbacks(execute=True):
        assert ended(made).state == State.STOPPED
    assert len(said) == 1
    assert announced == [waits.pk]
    page = alice.post(url(made, "experiment-delete"), follow=True).text
    assert "is deleted" in page
    assert not Experiment.objects.filter(pk=made.pk).exists()


def test_with_an_experiment_its_files_are_deleted(cast, alice):
    made, other = (make_experiment(cast.alice, state=State.DONE) for _ in range(2))
    alice.post(url(made, "experiment-delete"))
    assert {file.experiment for file in ResultFile.objects.all()} == {other}
    assert alice.get(url(made)).status_code == 404


def test_what_a_deleted_account_leaves_is_swept_away(cast):
    mine, theirs = (make_experiment(user, state=State.DONE) for user in (cast.eve, cast.carol))
    for user in (cast.eve, cast.carol):
        services.keep_upload(user=user, name="t.csv", columns=["a"], data=b"a\n1\n")
    delete_account(user=cast.eve)
    services.forget_left(timezone.now())
    assert list(Experiment.objects.all()) == [theirs]
    assert Upload.objects.get().owner == cast.carol
    assert mine.pk != theirs.pk


def test_a_file_that_nobody_used_is_forgotten_after_a_day(cast):
    services.keep_upload(user=cast.alice, name="t.csv", columns=["a"], data=b"a\n1\n")
    services.forget_left(timezone.now())
    assert Upload.objects.get().data == b"a\n1\n"
    services.forget_left(timezone.now() + timedelta(days=2))
    assert not Upload.objects.exists()


def test_only_counts_are_kept_of_the_data(cast):
    services.keep_upload(user=cast.alice, name="t.csv", columns=["sex"], data=b"sex\nF\n")
    made = requested(cast.alice)
    assert not Upload.objects.exists()
    kept = {"attributes": ["sex"], "values": [["F", "M"]], "table": [78, 144], "n_records": 222}
    assert made.counts == kept
    assert counts().n_records == 222


def test_the_list_takes_as_many_queries_for_many_as_for_few(cast, alice, django_assert_num_queries):
    make_experiment(cast.alice, state=State.DONE)
    alice.get(reverse("experiments"))
    with django_assert_num_queries(3):
        alice.get(reverse("experiments"))
    for _ in range(9):
        make_experiment(cast.alice, state=State.DONE)
    with django_assert_num_queries(3):
        assert alice.get(reverse("experiments")).text.count('name="with"') == 10


def test_the_way_to_experiments_is_on_every_page_of_a_person(cast, alice, client):
    link = f'href="{reverse("experiments")}"'
    assert link in header(alice.get("/").text)
    assert link not in header(client.get("/").text)


def header(page: str) -> str:
    return page.split("<header")[1].split("</header>")[0]

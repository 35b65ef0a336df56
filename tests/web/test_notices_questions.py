# SPDX-License-Identifier: Apache-2.0
"""Questions: private to a team and the organizers, answered, and published without the team's name."""

from __future__ import annotations

import pytest
from django.urls import reverse

from pwscup.core.models import Event
from pwscup.notices import policies, services
from pwscup.notices.kinds import MAX_OPEN_QUESTIONS
from pwscup.notices.models import Announcement, Preference, Question
from pwscup.notices.sending import mails
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def question(cast) -> Question:
    return services.ask_question(
        user=cast.alice, team=cast.red, subject="Blank lines", text="May we delete rows?"
    )


def url(question, name="question") -> str:
    return reverse(name, args=[question.contest.slug, question.public_id])


def ask(client, contest, **values):
    return client.post(reverse("questions", args=[contest.slug]), values)


def test_a_member_asks_and_team_and_organizers_read(cast, as_user, oscar):
    response = ask(as_user(cast.bob), cast.contest, subject="Rows", text="From 0 or from 1?")
    question = Question.objects.get()
    assert response["Location"] == url(question)
    for user in (cast.alice, cast.bob, cast.oscar):
        assert "From 0 or from 1?" in as_user(user).get(url(question)).text
    assert "From 0 or from 1?" in oscar.get(url(question, "organize-question")).text
    assert "1 question is open" in oscar.get(reverse("organize-news", args=["cup"])).text
    event = Event.objects.get(kind="question.asked")
    assert event.data == {"team": "red"}


def test_another_team_sees_nothing_of_it(cast, as_user, question):
    services.answer_question(actor=cast.oscar, question=question, answer="Yes, blank lines.")
    for user in (cast.carol, cast.eve):
        client = as_user(user)
        assert client.get(url(question)).status_code == 404
        assert client.get(url(question, "organize-question")).status_code == 404
        for name in ("questions", "news", "news-feed", "contest"):
            text = client.get(reverse(name, args=[cast.contest.slug])).text
            assert "Blank lines" not in text
            assert "delete rows" not in text
            assert str(question.public_id) not in text


def test_whoever_left_the_team_reads_no_more(cast, as_user, question):
    cast.bob.memberships.all().delete()
    assert as_user(cast.bob).get(url(question)).status_code == 404


def test_a_question_is_not_found_under_another_contest(cast, as_user, question):
    other = factories.make_contest("other", organizer=cast.oscar)
    for name in ("question", "organize-question"):
        wrong = reverse(name, args=[other.slug, question.public_id])
        assert as_user(cast.oscar).get(wrong).status_code == 404


def test_who_is_in_no_team_cannot_ask(cast, as_user):
    assert ask(as_user(cast.eve), cast.contest, subject="s", text="t").status_code == 404
    assert ask(as_user(cast.oscar), cast.contest, subject="s", text="t").status_code == 404
    assert "Join a team first" in as_user(cast.eve).get(reverse("questions", args=["cup"])).text
    assert not Question.objects.exists()


@pytest.mark.parametrize(
    "values", [{}, {"subject": "s"}, {"text": "t"}, {"subject": "s", "text": "x" * 4001}]
)
def test_what_is_no_question_is_refused(cast, as_user, values):
    assert ask(as_user(cast.alice), cast.contest, **values).status_code == 422
    assert not Question.objects.exists()


def test_a_team_has_so_many_open_questions_at_most(cast, as_user):
    asked = [
        services.ask_question(user=cast.alice, team=cast.red, subject=f"{n}", text="t")
        for n in range(MAX_OPEN_QUESTIONS)
    ]
    alice = as_user(cast.alice)
    response = ask(alice, cast.contest, subject="one more", text="t")
    assert response.status_code == 422
    assert "Wait for an answer" in response.text
    assert ask(as_user(cast.carol), cast.contest, subject="ours", text="t").status_code == 302
    services.answer_question(actor=cast.oscar, question=asked[0], answer="a")
    assert ask(alice, cast.contest, subject="one more", text="t").status_code == 302


def test_an_answer_can_be_corrected_and_both_are_in_the_trail(cast, oscar, as_user, question):
    page = url(question, "organize-question")
    oscar.post(page, {"answer": "No."})
    assert "answered" in as_user(cast.alice).get(reverse("questions", args=["cup"])).text
    oscar.post(page, {"answer": "Yes."})
    oscar.post(page, {"answer": "Yes."})  # the same again changes nothing
    text = as_user(cast.alice).get(url(question)).text
    assert "Yes." in text
    assert "edited" in text
    answers = Event.objects.filter(kind="question.answered").values_list("data__answer", flat=True)
    assert list(answers) == [["", "No."], ["No.", "Yes."]]


def test_organizers_find_what_has_waited_longest_first(cast, oscar, question):
    answered = services.ask_question(user=cast.carol, team=cast.blue, subject="Done", text="t")
    services.answer_question(actor=cast.oscar, question=answered, answer="a")
    services.ask_question(user=cast.carol, team=cast.blue, subject="Newer", text="t")
    text = oscar.get(reverse("organize-questions", args=["cup"])).text
    assert text.index("Blank lines") < text.index("Newer") < text.index("Done")


def test_a_clarification_is_published_once_without_the_team(cast, oscar, as_user, question):
    services.answer_question(actor=cast.oscar, question=question, answer="Yes, leave them blank.")
    form = oscar.get(url(question, "organize-question")).text
    assert "May we delete rows?\n\nYes, leave them blank." in form
    publish = url(question, "organize-question-publish")
    words = {"title": "Deleting rows", "text": "May rows be deleted? RED asks.\n\nYes."}
    refused = oscar.post(publish, words)
    assert "the name of the team that asked" in refused.text
    assert not Announcement.objects.exists()
    words["text"] = "May rows be deleted?\n\nYes."
    assert oscar.post(publish, words).status_code == 302
    for user in (None, cast.carol):
        text = as_user(user).get(reverse("news", args=["cup"])).text
        assert "May rows be deleted?" in text
        assert "clarification" in text
        assert not [name for name in ("Red", "Alice", str(question.public_id)) if name in text]
    listed = as_user(cast.carol).get(reverse("questions", args=["cup"])).text
    assert "Answered for everyone" in listed
    assert "May rows be deleted?" in listed
    assert "Published as a clarification" in as_user(cast.alice).get(url(question)).text
    oscar.post(publish, words)
    assert Announcement.objects.count() == 1


def test_a_team_called_by_an_ordinary_word_can_be_clarified(cast, oscar, question):
    words = {"title": "Colours", "text": "Is red allowed?", "name_is_a_word": "on"}
    assert oscar.post(url(question, "organize-question-publish"), words).status_code == 302
    assert Announcement.objects.get().title == "Colours"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("Red", "the red team", True),
        ("Red", "they shared it", False),
        ("Red", "ＲＥＤ asks", True),
        ("赤組", "赤組からの質問", True),
        ("A+", "the A+ team", True),
        ("Two  Words", "two words", True),
        ("Red", "", False),
    ],
)
def test_names_are_found_in_any_width_and_case(cast, name, text, expected):
    cast.red.name = name
    assert policies.names_team([text], cast.red) is expected


def test_who_asks_is_written_to_in_the_language_of_the_page(cast, as_user):
    client = as_user(cast.alice)
    client.post(
        reverse("questions", args=["cup"]),
        {"subject": "行", "text": "?"},
        headers={"Accept-Language": "ja"},
    )
    cast.alice.refresh_from_db()
    assert mails.language_of(cast.alice, cast.contest.pk) == "ja"
    services.choose_mail(user=cast.alice, contest=cast.contest, wanted="important", language="en")
    client.post(
        reverse("questions", args=["cup"]),
        {"subject": "行2", "text": "?"},
        headers={"Accept-Language": "ja"},
    )
    assert mails.language_of(cast.alice, cast.contest.pk) == "en"
    assert Preference.objects.get(user=cast.alice).wanted == "important"

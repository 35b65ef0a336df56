# SPDX-License-Identifier: Apache-2.0
"""Every page and every button of the site has an operation of the API, or a reason why it has none."""

from __future__ import annotations

from functools import cache

from pwscup.api.views import document
from tests.test_docs import REFERENCE, text_of
from tests.web.test_permissions import (
    GET,
    POST,
    POST_ELSEWHERE,
    SHUT,
    addresses_of_api,
    by_name,
    table,
)

# Pages whose operation has another address than `api-<their name>`, by that operation.
READ_BY = {
    "contests": "home",
    "contest": "joined",
    "round": "round-awaited",
    "submissions": "round-history round-places submission-history submission-history-csv board-trail",
    "submission": "submission-status",
    "receipt": "receipt-json",
    "file": "original sample schema notebook team-data",
    "template": "estimate-template",
    "budget": "ask",
    "release_csv": "batch-release",
    "release_given": "release-candidates",
    "material": "hierarchies",
    "team": "team-contribute team-create team-division team-invite team-leave team-profile team-remove team-rename "
    "team-revoke team-short-name team-transfer",
    "audit": "audit-status submission-data submission-data-csv",
    "trial": "trial-status",
    "debriefing": "debriefing-status",
    "board": "board-fragment projector projector-fragment",
    "ceremony": "ceremony-fragment",
    "news": "news-feed toasts",
    "join_class": "join join-class",
    "organize_formats": "organize-new",
    "organize_contest": "organize-settings organize-rounds organize-start organize-clock",
    "organize_teams": "organize-invitations-csv",
    "organize_news": "organize-announcement",
    "organize_prepare": "organize-prepare-steps organize-prepare-csv",
    "organize_ceremony": "organize-ceremony-fragment",
    "organize_archive": "organize-archive-status",
    "organize_import": "organize-import-status",
    "organize_dry_run": "organize-dry-run-status",
    "organize_rescore": "organize-rescore-status",
    "organize_report": "organize-report-status",
}
DONE_BY = {
    "audit_request": "submission-data",
    "ask": "ask",
    "submit": "round",
    "submit_guesses": "round",
    "join_class": "join",
    "team_change": "team-rename team-short-name team-division team-archive team-profile team-contribute",
    "team_create": "team-create",
    "team_revoke": "team-revoke",
    "submission_withdraw": "submission-rule",
    "submission_reinstate": "submission-rule",
    "organize_new": "organize-new",
    "organize_settings": "organize-settings",
    "organize_disqualify": "organize-decisions",
    "organize_reinstate": "organize-decisions",
    "organize_late": "organize-decisions",
    "organize_ceremony_start": "organize-ceremony-start",
    "organize_team_list": "organize-team-list",
    "organize_team_change": "organize-team-move organize-team-short-name",
    "organize_team_remove": "organize-team-remove",
    "organize_archive_delete": "organize-archive-delete",
}
# Pages and buttons without an operation, by the reason, as in docs/reference/api.md.
REASONS = {
    "accounts, their addresses and passwords are those of people": """
        account account-delete account_change_password account_confirm_email account_confirm_login_code
        account_email account_email_verification_sent account_inactive account_login account_logout
        account_reauthenticate account_reset_password account_reset_password_done
        account_reset_password_from_key account_reset_password_from_key_done account_set_password
        account_signup""",
    "the command grant_organizer does the same, for who runs the server": "site-organizers",
    "a token makes no other token": "tokens token-revoke",
    "a sign-in link is for a browser": "enter link-new organize-guest-link",
    "the language of an answer is that of Accept-Language": "set_language",
    "colours are those of pages": "brand-style set_theme",
    "about the installation: `/readyz` has the state for programs": "about status",
    "boards of the past: the same boards, asked for repeatedly": "board-history board-history-csv team-history-csv",
    "a link in an email, for people who are not signed in": "unsubscribe",
    "guests vote without an account": "guest-vote",
    "a screen or a sheet of paper for the room": "organize-poster timer",
    "the library runs the same at home": """
        experiments experiment experiment-new experiment-delete experiment-stop experiment-status
        experiment-figure experiment-figure-csv experiment-zip experiments-compare round-check""",
    "a file for installers of the library, the same for everybody": "library",
    "the documentation: programs read its Markdown": "help help-file help-page help-search",
    "the emails of a demo, on this machine": "mail",
}


@cache
def operations() -> dict[tuple[str, bool], set[str]]:
    """The operations by the name of their address, and whether they do something."""
    paths = {path: name for name, path in addresses_of_api().items()}
    found: dict[tuple[str, bool], set[str]] = {}
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            at = paths[path], method != "get"
            found.setdefault(at, set()).add(operation["operationId"])
    return found


def pages() -> set[tuple[str, bool]]:
    """Pages that open for somebody, and buttons, by the table of URLs and roles."""
    shown, pressed = table(GET), table(POST)
    names = {name for name in by_name() if not name.startswith("api-")}
    reads = {(name, False) for name in names if set(shown[name]) != {SHUT}}
    # Those who are not logged in are sent to the log-in before the method is looked at.
    acts = {
        (name, True)
        for name in names
        if name in POST_ELSEWHERE or name not in pressed or set(pressed[name][1:]) != {SHUT}
    }
    return reads | acts


def by_page(table: dict[str, str]) -> set[str]:
    return {name for names in table.values() for name in names.split()}


def test_every_page_and_button_has_an_operation_or_a_reason():
    elsewhere = {(name, False) for name in by_page(READ_BY)}
    elsewhere |= {(name, True) for name in by_page(DONE_BY)}
    without = by_page(REASONS)
    missing = {
        (name, does)
        for name, does in pages()
        if (f"api-{name}", does) not in operations()
        and (name, does) not in elsewhere
        and name not in without
    }
    assert missing == set()


def test_the_reasons_are_in_the_reference():
    section = text_of(REFERENCE / "api.md").partition("## Not for programs")[2].partition("##")[0]
    assert [reason for reason in REASONS if reason not in section] == []


def test_no_line_is_left_over():
    known, found = pages(), operations()
    acting = {one for (_name, does), ids in found.items() if does for one in ids}
    # A page that is only a form is read by the operation that takes what it asks.
    assert set(READ_BY) <= {one for ids in found.values() for one in ids}
    assert set(DONE_BY) <= acting
    lines = {(name, False) for name in by_page(READ_BY)} | {
        (name, True) for name in by_page(DONE_BY)
    }
    assert lines <= known
    assert not {(f"api-{name}", does) for name, does in lines} & set(found)
    for name in by_page(REASONS):
        lines = {(name, False), (name, True)}
        assert lines & known, name
        assert not {(f"api-{name}", does) for _name, does in lines} & set(found), name

# SPDX-License-Identifier: Apache-2.0

from django.urls import path

from pwscup.contests import views
from pwscup.contests.branding import views as branding
from pwscup.contests.organize import (
    appearance,
    clock,
    data,
    materials,
    preparing,
    round_hints,
    rounds,
    teams,
    terms,
)
from pwscup.contests.organize import views as organizer

urlpatterns = [
    path("contests/", views.home, name="contests"),
    path("c/<slug:slug>/", views.overview, name="contest"),
    path("c/<slug:slug>/rules/", views.rules, name="rules"),
    path("c/<slug:slug>/terms/", views.terms, name="terms"),
    path("c/<slug:slug>/data/original.csv", views.original, name="original"),
    path("c/<slug:slug>/data/schema.toml", views.schema, name="schema"),
    path("c/<slug:slug>/data/sample/<str:name>", views.sample, name="sample"),
    path("c/<slug:slug>/notebook.ipynb", views.notebook, name="notebook"),
    path("c/<slug:slug>/materials/<int:number>/", views.material, name="material"),
    path("c/<slug:slug>/pictures/<str:name>", branding.picture, name="contest-picture"),
    path("brand/<str:name>.css", branding.style, name="brand-style"),
    path("c/<slug:slug>/hierarchies/", views.hierarchies, name="hierarchies"),
    path("organize/", organizer.contests, name="organize"),
    path("organize/new/", organizer.new, name="organize-new"),
    path("organize/<slug:slug>/", organizer.contest, name="organize-contest"),
    path("organize/<slug:slug>/settings/", organizer.settings, name="organize-settings"),
    path("organize/<slug:slug>/publish/", organizer.publish, name="organize-publish"),
    path("organize/<slug:slug>/unpublish/", organizer.unpublish, name="organize-unpublish"),
    path("organize/<slug:slug>/organizers/", organizer.organizers, name="organize-organizers"),
    path("office/<slug:token>/", organizer.office, name="office-invitation"),
    path("organize/<slug:slug>/judges/", organizer.judges, name="organize-judges"),
    path("organize/<slug:slug>/data/", data.data, name="organize-data"),
    path("organize/<slug:slug>/data/generate/", data.generate, name="organize-generate"),
    path("organize/<slug:slug>/data/columns/", data.columns, name="organize-columns"),
    path("organize/<slug:slug>/data/prepare/", preparing.prepare, name="organize-prepare"),
    path(
        "organize/<slug:slug>/data/prepare/steps/", preparing.steps, name="organize-prepare-steps"
    ),
    path(
        "organize/<slug:slug>/data/prepare/apply/", preparing.apply, name="organize-prepare-apply"
    ),
    path(
        "organize/<slug:slug>/data/prepare/columns/<int:number>.csv",
        preparing.column_csv,
        name="organize-prepare-csv",
    ),
    path("organize/<slug:slug>/rounds/", rounds.rounds, name="organize-rounds"),
    path("organize/<slug:slug>/rounds/start/", rounds.start, name="organize-start"),
    path(
        "organize/<slug:slug>/rounds/<slug:key>/open/",
        rounds.open_now,
        name="organize-round-open",
    ),
    path(
        "organize/<slug:slug>/rounds/<slug:key>/close/",
        rounds.close_now,
        name="organize-round-close",
    ),
    path("organize/<slug:slug>/materials/", materials.materials, name="organize-materials"),
    path(
        "organize/<slug:slug>/materials/<int:number>/",
        materials.material,
        name="organize-material",
    ),
    path("organize/<slug:slug>/appearance/", appearance.appearance, name="organize-appearance"),
    path(
        "organize/<slug:slug>/appearance/sponsors/<int:number>/",
        appearance.sponsor,
        name="organize-sponsor",
    ),
    path("organize/<slug:slug>/hints/", round_hints.hints, name="organize-hints"),
    path("organize/<slug:slug>/hints/<int:number>/", round_hints.hint, name="organize-hint"),
    path("organize/<slug:slug>/clock/", clock.clock, name="organize-clock"),
    path("organize/<slug:slug>/clock/pause/", clock.pause, name="organize-pause"),
    path("organize/<slug:slug>/clock/resume/", clock.resume, name="organize-resume"),
    path("organize/<slug:slug>/clock/outage/", clock.outage, name="organize-outage"),
    path(
        "organize/<slug:slug>/rounds/<slug:key>/extend/",
        clock.extend,
        name="organize-round-extend",
    ),
    path(
        "organize/<slug:slug>/rounds/<slug:key>/reopen/",
        clock.reopen,
        name="organize-round-reopen",
    ),
    path("organize/<slug:slug>/terms/", terms.terms, name="organize-terms"),
    path(
        "organize/<slug:slug>/terms/retention/",
        terms.retention,
        name="organize-retention",
    ),
    path("organize/<slug:slug>/terms/erase/", terms.erase, name="organize-erase"),
    path("organize/<slug:slug>/teams/", teams.teams, name="organize-teams"),
    path("organize/<slug:slug>/teams/code/", teams.code, name="organize-class-code"),
    path("organize/<slug:slug>/teams/poster/", teams.poster, name="organize-poster"),
    path("organize/<slug:slug>/teams/guest/", teams.guest_link, name="organize-guest-link"),
    path("organize/<slug:slug>/teams/list/", teams.team_list, name="organize-team-list"),
    path(
        "organize/<slug:slug>/teams/divisions/",
        teams.divisions,
        name="organize-divisions",
    ),
    path("organize/<slug:slug>/teams/move/", teams.move, name="organize-team-move"),
    path(
        "organize/<slug:slug>/teams/short-name/",
        teams.shorten,
        name="organize-team-short-name",
    ),
    path("organize/<slug:slug>/teams/remove/", teams.remove, name="organize-team-remove"),
    path("organize/<slug:slug>/teams/readmit/", teams.readmit, name="organize-team-readmit"),
    path(
        "organize/<slug:slug>/teams/invitations/",
        teams.invitations,
        name="organize-invitations",
    ),
    path(
        "organize/<slug:slug>/teams/invitations.csv",
        teams.invitations_csv,
        name="organize-invitations-csv",
    ),
    path("organize/<slug:slug>/events/", organizer.events, name="organize-events"),
    path(
        "organize/<slug:slug>/public-value/", organizer.public_value, name="organize-public-value"
    ),
    path("organize/<slug:slug>/events.csv", organizer.events_csv, name="organize-events-csv"),
    path("organize/<slug:slug>/events.jsonl", organizer.events_jsonl, name="organize-events-jsonl"),
]

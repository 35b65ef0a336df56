# SPDX-License-Identifier: Apache-2.0
"""Texts about the things that an import leaves out: what it is, and what to do here in place of it."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

LEFT_OUT = {
    "unknown": (
        _("The key “%(key)s”, which this reader does not know"),
        _("If it matters, look for it in the contest's pages."),
    ),
    "yaml_twice": (
        _("The first of two keys “%(got)s” at the same place"),
        _("The last one counts, as at Codabench. Check the draft."),
    ),
    "version_15": (
        _("A bundle in the format of CodaLab 1.5"),
        _("It was read all the same: phases end when the next one begins. Check the dates."),
    ),
    "image": (
        _("The picture of the competition"),
        _("Contests have no logo. Add the picture under Materials if teams should see it."),
    ),
    "docker": (
        _("The Docker image “%(got)s”"),
        _(
            "Programs run in the platform's own sandbox, without containers. The administrator "
            "installs what the program needs, and names it as “readable”."
        ),
    ),
    "contact": (
        _("The contact address"),
        _("Teams ask on the page Questions, and organizers answer there."),
    ),
    "reward": (
        _("The reward: %(got)s"),
        _("Write it in the summary under Settings, or in the terms."),
    ),
    "queue": (
        _("The queue of compute workers"),
        _("All contests of this installation share its workers."),
    ),
    "fact_sheet": (
        _("The fact sheet, questions that teams answer with each submission"),
        _("Each submission has a note of its team. Ask for the rest in a form of your own."),
    ),
    "registration": (
        _("Approval of each registration"),
        _(
            "Everybody with an account may create a team. To decide yourself, choose under "
            "Settings that only teams that the organizers set up may play."
        ),
    ),
    "programs_available": (
        _("The offer of the programs to participants"),
        _("Add the program's files under Materials."),
    ),
    "input_available": (
        _("The offer of the input data to participants"),
        _("Teams download the organizer's table on the page of the contest."),
    ),
    "detailed": (
        _("Detailed results as an HTML page"),
        _("Only numbers of scores.json are shown; a page that a program writes is not."),
    ),
    "manual_run": (
        _("Submissions that organizers start"),
        _("Submissions are scored as soon as they arrive."),
    ),
    "public_submissions": (
        _("Submissions that participants publish"),
        _("Submissions are visible to their team and to organizers only."),
    ),
    "forum": (
        _("The forum"),
        _("Teams ask on the page Questions; organizers publish answers and news."),
    ),
    "benchmark": (
        _("The competition as a benchmark without an end"),
        _("Every round of a contest has an end. Move it on the page Rounds."),
    ),
    "admins": (
        _("The names of further organizers"),
        _("Invite them on the contest's overview for organizers."),
    ),
    "solutions": (
        _("Sample solutions, %(got)s of them"),
        _(
            "Submit them as a team during a dry run, or upload a sample with the table on the "
            "page Data."
        ),
    ),
    "kind": (
        _("The kind of submission: Codabench takes any zip file"),
        _(
            "Teams submit a table with the columns of the organizer's table, and for each record "
            "the row of the original from which it was made. This is the nearest kind of round; "
            "other kinds, such as attacks, are added on the page Rules."
        ),
    ),
    "code": (
        _("Submissions of code, and the ingestion program “%(got)s”"),
        _("Teams submit tables; no code of participants is run here."),
    ),
    "seasons": (
        _("A leaderboard for each of the %(got)s phases"),
        _(
            "Each phase is a stage with a board of its own. For the season only the last one "
            "counts; change the weights of the stages on the page Rules."
        ),
    ),
    "endless": (
        _("The phase has no end"),
        _("Its round ends after %(got)s days. Move the end on the page Rounds."),
    ),
    "participants": (
        _("Limits of submissions for each participant"),
        _("They hold for each team here."),
    ),
    "date_order": (
        _("The order of month and day in “%(got)s”"),
        _(
            "The month was read first, as Codabench does, if there is such a month: %(day)s. Check it."
        ),
    ),
    "unlimited": (
        _("The phase has no limit of submissions in all"),
        _("Its round allows %(got)s attempts to each team."),
    ),
    "too_many_tries": (
        _("The phase allows %(got)s submissions"),
        _("Its round allows %(expected)s attempts to each team, the most there can be."),
    ),
    "shorter": (
        _("The length of the phase"),
        _(
            "A round that the rules propose has at most %(got)s days; the dates of the round are "
            "those of the phase."
        ),
    ),
    "moved": (
        _("The dates of the bundle"),
        _("All phases were moved by the same time, so that the first one begins at %(got)s."),
    ),
    "over": (
        _("The dates of the bundle lie in the past"),
        _(
            "Choose another start before you create the draft, or move the rounds on the page "
            "Rounds."
        ),
    ),
    "migration": (
        _("Submissions of the phase before, submitted again when this one begins"),
        _("Teams submit again; say so in the description of the round."),
    ),
    "hidden_output": (
        _("The visibility of the program's output"),
        _("Nothing that a program prints is shown to anybody."),
    ),
    "only_results": (
        _("The limitation to submissions of results"),
        _("Teams submit tables only."),
    ),
    "starting_kit": (
        _("The starting kit “%(got)s”"),
        _("Add it as a file under Materials."),
    ),
    "public_data": (
        _("The public data “%(got)s”"),
        _("Add it as a file under Materials, if it is not the organizer's table."),
    ),
    "time_limit": (
        _("The time limit of %(got)s seconds"),
        _("A program has the limit that the administrator sets, %(expected)s seconds at most."),
    ),
    "parallel": (
        _("Phases that run at the same time"),
        _("The phase that groups them is left out; the others follow one another."),
    ),
    "no_tasks": (
        _("The phase names no task"),
        _("All rounds use the one program of the rules."),
    ),
    "task_key": (
        _("The task “%(got)s”, which is stored at Codabench"),
        _("Download the bundle there with its files in place of keys, and import it again."),
    ),
    "reference_data": (
        _("The reference data “%(got)s”"),
        _(
            "Upload the organizer's table on the page Data. The program finds it as "
            "ref/original.csv, with ref/schema.toml."
        ),
    ),
    "input_data": (
        _("The input data “%(got)s”"),
        _(
            "Teams get the organizer's table; upload it on the page Data. Add other files under "
            "Materials."
        ),
    ),
    "tasks": (
        _("Further tasks: %(got)s"),
        _("A contest has one table and one program. Create a contest for each further task."),
    ),
    "program": (
        _("The scoring program “%(got)s” with %(n)s files: an import never installs or runs it"),
        _(
            "Adapt it first: it finds the table as res/anonymized.csv with res/rows.csv, and the "
            "original as ref/original.csv, and writes scores.json. Then the site's administrator "
            "reads it, copies it into the folder below, and adds these lines to the file that "
            "PWSCUP_PROGRAMS_FILE names. Until then submissions fail, and organizers can let them"
            " wait again."
        ),
    ),
    "program_allowed": (
        _("The scoring program “%(got)s” with %(n)s files: an import never installs or runs it"),
        _(
            "The rules name “%(name)s”, a program that the administrator has allowed. Check that "
            "it is the program of this bundle, and that it reads res/anonymized.csv and "
            "ref/original.csv."
        ),
    ),
    "no_program": (
        _("The scoring program, which the bundle does not have"),
        _(
            "The rules name a program “%(name)s”. The site's administrator has to allow one of "
            "this name, which writes the columns below into scores.json."
        ),
    ),
    "program_key": (
        _("The scoring program “%(got)s”, which is stored at Codabench"),
        _("Download the bundle there with its files in place of keys, and import it again."),
    ),
    "fixed_folders": (
        _("The folders /app/input and /app/output, which the command “%(got)s” does not name"),
        _("Let the program take both folders as its last two arguments; there are no others here."),
    ),
    "no_command": (
        _("The command of the program: its metadata.yaml names none"),
        _("The lines for the administrator are a proposal. Put the program's own command there."),
    ),
    "other_program": (
        _("Another scoring program, “%(got)s”"),
        _("The rules of a contest name one program, that of the first task."),
    ),
    "leaderboards": (
        _("The leaderboard “%(got)s”"),
        _(
            "Codabench shows the first one for all phases, and so does the contest. List further "
            "boards as [[board]] on the page Rules."
        ),
    ),
    "hidden_board": (
        _("The leaderboard is hidden"),
        _("All of its columns are shown to organizers only. Change this on the page Leaderboard."),
    ),
    "rule": (
        _("The rule for submissions on the leaderboard, “%(got)s”"),
        _("The last scored submission counts, or the one that the team chooses."),
    ),
    "computation": (
        _("The column “%(got)s”, which Codabench computes from others or from ranks"),
        _(
            "Values that are made of others are better when they are higher here, and made of values. Let the "
            "program write it into scores.json, and add it as [[scoring.program.value]] on the page Rules."
        ),
    ),
    "key": (
        _("The key “%(got)s”, which is no name of a measure here"),
        _(
            "The measure is called “%(name)s”: let the program write its value under this name, "
            "too."
        ),
    ),
    "precision": (
        _("The precision of columns: %(got)s"),
        _("Values are kept whole and shown with up to six significant digits."),
    ),
    "ranges": (
        _("The range of the columns, which a bundle does not have"),
        _(
            "Any number from -1,000,000 to 1,000,000 is accepted. Narrow “low” and “high” on the "
            "page Rules."
        ),
    ),
    "ranking": (
        _("The order of the leaderboard"),
        _(
            "The first visible column, “%(got)s”, decides as at Codabench, by the rank in it; the others break ties. "
            "It stands under both headings, Utility and Safety. Move the columns that measure safety under theirs, and "
            "change the weights, on the page Rules."
        ),
    ),
    "language": (
        _("A second language"),
        _(
            "The texts of the bundle stand in both languages. Translate them under Settings, "
            "Terms and Rules."
        ),
    ),
    "title": (
        _("The end of the title, “%(got)s”"),
        _("Titles have at most 100 characters. Shorten it under Settings."),
    ),
    "summary": (
        _("The end of the description"),
        _("Summaries have at most 500 characters. The page Rules has the whole text."),
    ),
    "no_terms": (
        _("The terms, which the bundle does not have"),
        _("The contest has the platform's default terms. Change them on the page Terms."),
    ),
    "terms_html": (
        _("The layout of the terms"),
        _("The text was taken without it. Check it on the page Terms."),
    ),
    "terms_long": (
        _("The end of the terms"),
        _("Terms have at most %(got)s characters. Shorten them on the page Terms."),
    ),
    "page_html": (
        _("The layout of the page “%(got)s”"),
        _("Its text became a file under Materials, without pictures and layout."),
    ),
    "page_unreadable": (
        _("The page “%(got)s”, which is not UTF-8 text or is too large"),
        _("Save it as UTF-8 and add it under Materials."),
    ),
    "page_empty": (
        _("The page “%(got)s”, which is empty"),
        _("Nothing needs to be done."),
    ),
    "terms_unreadable": (
        _("The terms “%(got)s”, which are not UTF-8 text or are too large"),
        _("The contest has the platform's default terms. Change them on the page Terms."),
    ),
}
"""By code."""

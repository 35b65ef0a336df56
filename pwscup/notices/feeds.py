# SPDX-License-Identifier: Apache-2.0
"""The news of a published contest as an Atom feed, in the reader's language."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.syndication.views import Feed
from django.http import Http404, HttpRequest
from django.template.defaultfilters import urlize
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import linebreaks
from django.utils.translation import gettext as _

from pwscup.contests.models import Contest
from pwscup.notices import selectors
from pwscup.notices.selectors import Item

NEWEST = 50


class NewsFeed(Feed):
    feed_type = Atom1Feed

    def get_object(self, request: HttpRequest, *args: Any, **names: Any) -> Contest:
        contest = Contest.objects.prefetch_related("rounds").filter(slug=names["slug"]).first()
        if contest is None or not contest.is_published:
            raise Http404
        return contest

    def title(self, contest: Contest) -> str:
        return _("News of %(contest)s") % {"contest": contest.local_title}

    def subtitle(self, contest: Contest) -> str:
        return contest.local_summary

    def link(self, contest: Contest) -> str:
        return reverse("news", args=[contest.slug])

    def items(self, contest: Contest) -> list[tuple[Contest, Item]]:
        newest = sorted(selectors.news(contest), key=lambda item: item.at, reverse=True)[:NEWEST]
        return [(contest, item) for item in newest]

    def item_title(self, item: tuple[Contest, Item]) -> str:
        return item[1].title

    def item_description(self, item: tuple[Contest, Item]) -> str:
        found = item[1].announcement
        if found is not None and found.withdrawn_at is not None:
            text = _("Withdrawn: %(reason)s") % {"reason": found.withdrawn_reason}
        else:
            text = item[1].text
        return linebreaks(urlize(text, autoescape=True))  # feed readers treat it as HTML

    def item_link(self, item: tuple[Contest, Item]) -> str:
        return f"{self.link(item[0])}#{item[1].key}"

    def item_pubdate(self, item: tuple[Contest, Item]) -> datetime:
        return item[1].at

    def item_updateddate(self, item: tuple[Contest, Item]) -> datetime:
        return item[1].changed_at

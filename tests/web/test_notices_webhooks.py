# SPDX-License-Identifier: Apache-2.0
"""Webhooks: where they may lead, what they send, how it is signed, and what happens when nobody answers."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import http.server
import ipaddress
import json
import re
import socket
import ssl
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.core import mail
from django.urls import reverse
from django.utils import timezone

from pwscup.contests.models import Contest
from pwscup.core import audit_log
from pwscup.core.models import Event
from pwscup.notices import jobs, services, sweeper
from pwscup.notices.kinds import MAX_FAILURES, MAX_WEBHOOKS
from pwscup.notices.models import Delivery, Webhook
from pwscup.notices.webhooks import addresses, calls, signing
from tests import factories
from tests.web import pipeline

pytestmark = pytest.mark.django_db
WORDS = {"title": "Rows", "text": "Read.", "title_ja": "行", "text_ja": "読む。"}
State = Delivery.State

# For this test alone: a key and a certificate that nobody trusts, valid from 2000 to 2125.
CERTIFICATE = """\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgAVqwZc+JF7YaTI2F
RbqDOSrK4zyrAqQ3yPBhxzPcqyKhRANCAATWiqKGffsOvPRUNUZgHsCRsHgtWZN2
OuTsN90zqzFdx5ib+fe8YZoztZ/qJBSWedXKGUNxanlqcF36nm2NsT5B
-----END PRIVATE KEY-----
-----BEGIN CERTIFICATE-----
MIIBljCCATugAwIBAgIUcyTuRM11wlN2SqFc7wcMYZdjFGowCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTAwMDEwMTAwMDAwMFoYDzIxMjYwMTAx
MDAwMDAwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATWiqKGffsOvPRUNUZgHsCRsHgtWZN2OuTsN90zqzFdx5ib+fe8YZoz
tZ/qJBSWedXKGUNxanlqcF36nm2NsT5Bo2kwZzAdBgNVHQ4EFgQUcyu72oDFFSy1
tL0Nv54PA/JnUtwwHwYDVR0jBBgwFoAUcyu72oDFFSy1tL0Nv54PA/JnUtwwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SQAwRgIhAJD2dM8Shlzry2AbYKjIZXu98v3vmoWm0sNmVbhSTEQBAiEA/3EThZre
2xeGtlmOMP1SB0XPcYb+PI2ZK1t6+yACzwQ=
-----END CERTIFICATE-----
"""


class Receiver(http.server.BaseHTTPRequestHandler):
    """Keeps what it is sent and answers as it was told to."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.received.append((self.path, dict(self.headers), body))
        self.server.answer(self)

    def log_message(self, *_: object) -> None:
        pass


def answers(status: int, **headers: str):
    def answer(handler: Receiver) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


@contextlib.contextmanager
def listening(answer, context: ssl.SSLContext | None = None) -> Iterator[SimpleNamespace]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.received, server.answer = [], answer
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    scheme = "http" if context is None else "https"
    try:
        yield SimpleNamespace(
            url=f"{scheme}://localhost:{server.server_port}/hook?x=1",
            received=server.received,
            server=server,
        )
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def receiver(settings) -> Iterator[SimpleNamespace]:
    """A receiver on this machine, and settings under which it may be called."""
    settings.DEBUG = settings.WEBHOOKS_TO_PRIVATE = True
    with listening(answers(204)) as found:
        yield found


@pytest.fixture(autouse=True)
def quiet(cast):
    """Nothing has just happened to the rounds."""
    now = timezone.now()
    for number, round in enumerate(cast.contest.rounds.all()):
        start = now - timedelta(days=3) if number == 0 else now + timedelta(days=20)
        pipeline.move(round, start, start + timedelta(days=13))


@pytest.fixture
def internet(monkeypatch):
    """A resolver that knows a few names and reaches nobody."""
    names = {
        "public.example.org": ["93.184.216.34"],
        "both.example.org": ["93.184.216.34", "10.0.0.1"],
        "inside.example.org": ["10.1.2.3"],
    }

    def resolve(host: str, port: int, **_: object):
        try:
            found = [str(ipaddress.ip_address(host))]
        except ValueError:
            if host not in names:
                raise socket.gaierror(-2, "unknown") from None
            found = names[host]
        return [(2, 1, 6, "", (ip, port)) for ip in found]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    return names


def add(cast, url: str) -> tuple[Webhook, str]:
    return services.add_webhook(actor=cast.oscar, contest=cast.contest, url=url)


def announce(cast):
    return services.publish_announcement(actor=cast.oscar, contest=cast.contest, values=WORDS)


def send_all() -> None:
    Delivery.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    sweeper.sweep(timezone.now())
    jobs.work()


def called(webhook: Webhook) -> Delivery:
    return Delivery.objects.filter(webhook=webhook).latest("id")


# What is sent


def test_a_call_is_signed_and_says_what_is_public(cast, receiver):
    webhook, secret = add(cast, receiver.url)
    announcement = announce(cast)
    send_all()
    [(path, headers, body)] = receiver.received
    assert path == "/hook?x=1"
    assert headers["Host"] == receiver.url.split("/")[2]
    # What a receiver does, by the standard alone.
    signed = headers["X-PWSCup-Timestamp"].encode() + b"." + body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    assert headers["X-PWSCup-Signature"] == f"sha256={expected}"
    assert abs(int(headers["X-PWSCup-Timestamp"]) - timezone.now().timestamp()) < 60
    said = json.loads(body)
    assert said["kind"] == "announcement"
    assert said["contest"] == "cup"
    assert said["data"] == {
        "title": {"en": "Rows", "ja": "行"},
        "text": {"en": "Read.", "ja": "読む。"},
        "url": f"http://127.0.0.1:8000/c/cup/news/#announcement-{announcement.pk}",
    }
    sent = called(webhook)
    assert (sent.state, sent.status_code, sent.tries) == (State.SENT, 204, 1)
    assert said["id"] == str(sent.notice.public_id)


def test_the_receiver_of_the_documentation_takes_what_is_genuine_and_recent(cast, receiver):
    page = Path(settings.BASE_DIR, "docs", "how-to", "announce.md").read_text(encoding="utf-8")
    [block] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    shown: dict[str, object] = {}
    exec(block, shown)
    _webhook, secret = add(cast, receiver.url)
    announce(cast)
    send_all()
    [(_path, headers, body)] = receiver.received
    given = [secret, headers["X-PWSCup-Timestamp"], headers["X-PWSCup-Signature"], body]
    assert shown["is_genuine"](*given)
    old = str(int(given[1]) - 301)
    assert not shown["is_genuine"](secret, old, signing.signature(secret, old, body), body)
    for place, other in ((0, "other"), (1, str(int(given[1]) + 1)), (3, body + b" ")):
        assert not shown["is_genuine"](*given[:place], other, *given[place + 1 :])


def test_the_secret_is_not_in_the_database_and_another_one_for_each(cast, receiver):
    first, secret = add(cast, receiver.url)
    _second, other = add(cast, receiver.url + "2")
    assert len(secret) == 64
    assert secret != other
    row = Webhook.objects.filter(pk=first.pk).values().get()
    assert not [value for value in row.values() if secret in str(value)]


def test_private_matters_are_not_sent_and_rounds_are(cast, receiver, round):
    add(cast, receiver.url)
    question = services.ask_question(user=cast.alice, team=cast.red, subject="s", text="hush")
    services.answer_question(actor=cast.oscar, question=question, answer="hush")
    send_all()
    assert receiver.received == []
    assert len(mail.outbox) == 3
    now = timezone.now()
    pipeline.move(round, now - timedelta(minutes=1), now + timedelta(days=5))
    audit_log.record(
        "contest.round_paused", actor=cast.oscar, contest_id=cast.contest.pk, reason="power"
    )
    send_all()
    said = {json.loads(body)["kind"]: body.decode() for _path, _headers, body in receiver.received}
    assert set(said) == {"round.opened", "contest.round_paused"}
    assert json.loads(said["round.opened"])["data"]["round"] == "anonymization"
    assert "Reason: power" in said["contest.round_paused"]
    assert "Oscar" not in said["contest.round_paused"]


def test_a_test_goes_to_the_one_it_tests_even_of_a_draft(cast, receiver, oscar, draft):
    first, _ = services.add_webhook(actor=cast.oscar, contest=draft, url=receiver.url)
    services.add_webhook(actor=cast.oscar, contest=draft, url=receiver.url + "&y=2")
    button = reverse("organize-webhook", args=[draft.slug, first.public_id])
    text = oscar.post(button, {"action": "test"}, follow=True).text
    assert "A test is being sent" in text
    assert "already being sent" in oscar.post(button, {"action": "test"}, follow=True).text
    send_all()
    [(path, _headers, body)] = receiver.received
    assert path == "/hook?x=1"
    assert json.loads(body)["kind"] == "webhook.test"
    page = oscar.get(reverse("organize-webhooks", args=[draft.slug])).text
    assert "webhook.test" in page
    assert "<code>204</code>" in page
    oscar.post(button, {"action": "test"})
    send_all()
    assert len(receiver.received) == 2


def test_a_contest_that_is_a_draft_again_calls_nobody(cast, receiver):
    webhook, _ = add(cast, receiver.url)
    announce(cast)
    sweeper.sweep(timezone.now())
    Contest.objects.update(is_published=False)
    jobs.work()
    assert receiver.received == []
    assert called(webhook).state == State.DROPPED


# Failures


@pytest.mark.parametrize(
    ("answer", "error", "status"),
    [
        (answers(500), "status", 500),
        (answers(404), "status", 404),
        (answers(302, Location="http://localhost/"), "redirect", 302),
        (lambda handler: handler.wfile.write(b"SSH-2.0\r\n\r\n"), "answer", None),
    ],
    ids=["500", "404", "redirect", "no HTTP"],
)
def test_what_is_no_success_is_tried_again_later(cast, settings, answer, error, status):
    settings.DEBUG = settings.WEBHOOKS_TO_PRIVATE = True
    with listening(answer) as receiver:
        webhook, _ = add(cast, receiver.url)
        announce(cast)
        before = timezone.now()
        send_all()
        assert len(receiver.received) == 1  # and no redirect was followed
        failed = called(webhook)
        assert (failed.state, failed.error, failed.status_code) == (State.WAITING, error, status)
        assert failed.due_at >= before + timedelta(minutes=1)
        receiver.server.answer = answers(200)
        send_all()
    failed.refresh_from_db()
    webhook.refresh_from_db()
    assert (failed.state, failed.error, failed.tries) == (State.SENT, "", 2)
    assert webhook.n_failures == 0
    bodies = {body for _path, _headers, body in receiver.received}
    assert len(bodies) == 1  # a receiver knows it by its id


def test_nobody_waits_for_whoever_dribbles_or_floods(settings, monkeypatch):
    settings.DEBUG = settings.WEBHOOKS_TO_PRIVATE = True
    monkeypatch.setattr(calls, "TIMEOUT_SECONDS", 0.5)
    stop = threading.Event()

    def dribble(handler: Receiver) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        with contextlib.suppress(OSError):
            while not stop.wait(0.1):
                handler.wfile.write(b"X-A: b\r\n")
                handler.wfile.flush()

    def flood(handler: Receiver) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        with contextlib.suppress(OSError):
            while not stop.is_set():
                handler.wfile.write(b"x" * 65536)

    # Either of them would go on for ever; the waits are those of a busy machine.
    began = timezone.now()
    with listening(dribble) as receiver:
        with pytest.raises(calls.CallFailedError) as failure:
            calls.post(receiver.url, b"{}", {})
        stop.set()
    assert failure.value.code == "timeout"
    stop.clear()
    monkeypatch.setattr(calls, "TIMEOUT_SECONDS", 120)
    with listening(flood) as receiver:
        assert calls.post(receiver.url, b"{}", {}) == 200
        stop.set()
    assert timezone.now() - began < timedelta(seconds=100)


def test_a_port_where_nobody_listens(settings):
    settings.DEBUG = settings.WEBHOOKS_TO_PRIVATE = True
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(calls.CallFailedError) as failure:
            calls.post(f"http://127.0.0.1:{unused.getsockname()[1]}/", b"{}", {})
    assert failure.value.code == "connection"


def test_the_certificate_must_be_trusted_and_name_the_host(settings, tmp_path, monkeypatch):
    settings.WEBHOOKS_TO_PRIVATE = True
    path = tmp_path / "server.pem"
    path.write_text(CERTIFICATE)
    server_side = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_side.load_cert_chain(path)
    with listening(answers(200), server_side) as receiver:
        with pytest.raises(calls.CallFailedError) as failure:
            calls.post(receiver.url, b"{}", {})
        assert failure.value.code == "tls"
        trusting = ssl.create_default_context(cafile=path)
        monkeypatch.setattr(ssl, "create_default_context", lambda: trusting)
        assert calls.post(receiver.url, b"{}", {}) == 200
        other_name = receiver.url.replace("localhost", "127.0.0.1")
        with pytest.raises(calls.CallFailedError) as failure:
            calls.post(other_name, b"{}", {})
        assert failure.value.code == "tls"
    assert len(receiver.received) == 1


def test_one_failing_address_is_tried_once_for_all_that_waits(cast, settings):
    settings.DEBUG = settings.WEBHOOKS_TO_PRIVATE = True
    with listening(answers(500)) as receiver:
        add(cast, receiver.url)
        for _ in range(3):
            announce(cast)
        send_all()
        assert len(receiver.received) == 1
    assert Delivery.objects.filter(channel="webhook", due_at__gt=timezone.now()).count() == 3


def test_after_so_many_failures_in_a_row_it_is_off_and_organizers_learn_it(cast, settings, oscar):
    settings.DEBUG = settings.WEBHOOKS_TO_PRIVATE = True
    with listening(answers(500)) as receiver:
        webhook, _ = add(cast, receiver.url)
        announce(cast)
        for _ in range(MAX_FAILURES + 3):
            send_all()
        assert len(receiver.received) == MAX_FAILURES
        webhook.refresh_from_db()
        assert webhook.disabled_at is not None
        assert called(webhook).state == State.DROPPED
        off = [one for one in mail.outbox if one.subject.endswith("A webhook is disabled")]
        assert [one.to for one in off] == [["oscar@example.org"]]
        assert "localhost" in off[0].body
        assert "x=1" not in off[0].body
        assert Event.objects.get(kind="webhook.disabled").actor is None
        page = reverse("organize-webhooks", args=["cup"])
        assert "disabled after too many failures" in oscar.get(page).text
        receiver.server.answer = answers(200)
        button = reverse("organize-webhook", args=["cup", webhook.public_id])
        oscar.post(button, {"action": "enable"})
        announce(cast)
        send_all()
    assert len(receiver.received) == MAX_FAILURES + 1
    webhook.refresh_from_db()
    assert (webhook.disabled_at, webhook.n_failures) == (None, 0)


# Where they may lead


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("https://public.example.org/", None),
        ("https://public.example.org:8443/a?b", None),
        ("https://8.8.8.8/", None),
        ("https://[2606:4700::1111]/", None),
        ("https://[64:ff9b::5db8:d822]/", None),
        ("https://unknown.example.org/", "unresolved"),
        ("https:///path", "unresolved"),
        ("https://[::1", "unresolved"),
        ("https://public.example.org:99999/", "unresolved"),
        ("http://public.example.org/", "scheme"),
        ("http://127.0.0.1/", "scheme"),
        ("ftp://public.example.org/", "scheme"),
        ("file:///etc/passwd", "scheme"),
        ("https://user:password@public.example.org/", "scheme"),
        ("https://inside.example.org/", "private"),
        ("https://both.example.org/", "private"),
        ("https://127.0.0.1/", "private"),
        ("https://0.0.0.0/", "private"),
        ("https://10.0.0.1/", "private"),
        ("https://172.16.0.1/", "private"),
        ("https://192.168.1.1/", "private"),
        ("https://169.254.169.254/latest/meta-data/", "private"),
        ("https://100.64.0.1/", "private"),
        ("https://224.0.0.1/", "private"),
        ("https://255.255.255.255/", "private"),
        ("https://[::1]/", "private"),
        ("https://[::]/", "private"),
        ("https://[fe80::1]/", "private"),
        ("https://[fc00::1]/", "private"),
        ("https://[fec0::1]/", "private"),
        ("https://[ff02::1]/", "private"),
        ("https://[::ffff:127.0.0.1]/", "private"),
        ("https://[::127.0.0.1]/", "private"),
        ("https://[64:ff9b::7f00:1]/", "private"),
        ("https://[2002:7f00:1::]/", "private"),
        ("https://[2001:db8::1]/", "private"),
    ],
)
def test_addresses(internet, url, code):
    if code is None:
        assert addresses.check(url).scheme == "https"
        return
    with pytest.raises(addresses.BadAddressError) as refusal:
        addresses.check(url)
    assert refusal.value.code == code


def test_private_addresses_where_the_settings_allow_them(internet, settings):
    settings.WEBHOOKS_TO_PRIVATE = True
    assert addresses.check("https://inside.example.org/").ip == "10.1.2.3"
    for url in ("http://127.0.0.1/", "http://inside.example.org/"):
        with pytest.raises(addresses.BadAddressError):
            addresses.check(url)
    settings.DEBUG = True
    assert addresses.check("http://127.0.0.1/").scheme == "http"
    with pytest.raises(addresses.BadAddressError):
        addresses.check("http://inside.example.org/")


def test_other_ways_to_write_this_machine_are_refused():
    """By the system's own resolver, which knows them."""
    for host in ("localhost", "127.1", "2130706433", "0x7f.1", "127.0.0.1."):
        with pytest.raises(addresses.BadAddressError) as refusal:
            addresses.check(f"https://{host}/")
        assert refusal.value.code in ("private", "unresolved"), host


def test_a_name_that_leads_inside_later_is_refused_when_sending(cast, internet):
    webhook, _ = add(cast, "https://public.example.org/hook")
    internet["public.example.org"] = ["127.0.0.1"]
    announce(cast)
    send_all()
    failed = called(webhook)
    assert (failed.state, failed.error, failed.tries) == (State.WAITING, "private", 1)


def test_the_connection_is_made_to_the_address_that_was_checked(internet, monkeypatch):
    """Not to what the name leads to a moment later."""
    connected = []

    def connect(address, **_):
        connected.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(calls.CallFailedError):
        calls.post("https://public.example.org/", b"", {})
    assert connected == [("93.184.216.34", 443)]


# The organizer's page


def test_the_secret_is_shown_once(cast, oscar, receiver):
    page = reverse("organize-webhooks", args=["cup"])
    response = oscar.post(page, {"url": receiver.url})
    assert response["Cache-Control"].count("no-store") == 1
    [webhook] = Webhook.objects.all()
    secret = response.text.partition('<code class="secret">')[2].partition("<")[0]
    assert len(secret) == 64
    assert secret not in oscar.get(page).text
    assert receiver.url.replace("&", "&amp;") in oscar.get(page).text
    event = Event.objects.get(kind="webhook.added")
    assert event.data == {"host": "localhost"}  # the rest of an address may be its secret
    assert webhook.created_by == cast.oscar


@pytest.mark.parametrize("url", ["", "https://10.0.0.1/", "http://public.example.org/", "nonsense"])
def test_an_unusable_address_is_refused_with_a_sentence(cast, oscar, internet, url):
    text = oscar.post(reverse("organize-webhooks", args=["cup"]), {"url": url}).text
    assert not Webhook.objects.exists()
    assert "secret" not in text.replace('class="secret"', "")
    if url:
        assert "expected an https:// address on the internet" in text


def test_at_most_five_and_none_twice(cast, internet):
    for n in range(MAX_WEBHOOKS):
        add(cast, f"https://public.example.org/{n}")
    with pytest.raises(services.NoticeRefused, match="already"):
        add(cast, "https://public.example.org/0")
    with pytest.raises(services.NoticeRefused, match="at most 5"):
        add(cast, "https://public.example.org/more")
    services.remove_webhook(actor=cast.oscar, webhook=Webhook.objects.first())
    add(cast, "https://public.example.org/0")
    assert Webhook.objects.filter(removed_at=None).count() == MAX_WEBHOOKS


def test_a_removed_webhook_gets_nothing_and_stays_in_the_list(cast, oscar, receiver):
    webhook, _ = add(cast, receiver.url)
    announce(cast)
    send_all()
    announce(cast)
    sweeper.sweep(timezone.now())
    button = reverse("organize-webhook", args=["cup", webhook.public_id])
    oscar.post(button, {"action": "remove"})
    jobs.work()
    assert len(receiver.received) == 1
    assert called(webhook).state == State.DROPPED
    assert "localhost" in oscar.get(reverse("organize-webhooks", args=["cup"])).text
    assert oscar.post(button, {"action": "test"}).status_code == 404


def test_buttons_belong_to_the_organizers_of_the_contest(cast, oscar, as_user, receiver):
    webhook, _ = add(cast, receiver.url)
    other = factories.make_contest("other", organizer=cast.oscar)
    wrong = reverse("organize-webhook", args=[other.slug, webhook.public_id])
    assert oscar.post(wrong, {"action": "remove"}).status_code == 404
    right = reverse("organize-webhook", args=["cup", webhook.public_id])
    assert as_user(cast.alice).post(right, {"action": "remove"}).status_code == 404
    assert oscar.post(right, {"action": "explode"}).status_code == 404
    webhook.refresh_from_db()
    assert webhook.removed_at is None

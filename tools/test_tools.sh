#!/bin/sh
# What the tests need in addition to Python packages: Chromium with a Japanese font, GNU gettext, PostgreSQL and Redis.
# Root on Debian or Ubuntu: installed. Elsewhere: Chromium by Playwright; for the rest the message says what is missing.
set -eu
python=$1
browser=""
missing=""
have() { command -v "$1" >/dev/null 2>&1; }
have chromium-headless-shell || have chromium || have google-chrome || have chromium-browser || browser=chromium
have msgfmt && have xgettext || missing="$missing gettext"
have redis-server || missing="$missing redis-server"
ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || have postgres || missing="$missing postgresql"
[ -z "$browser$missing" ] && { fc-list 2>/dev/null | grep -qi "noto.*cjk" && exit 0; }
if [ "$(id -u)" = 0 ] && have apt-get; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    # Debian also has a Chromium without windows, in which the same pages take a quarter less time.
    if [ -n "$browser" ] && apt-cache show chromium-headless-shell >/dev/null 2>&1; then
        browser=chromium-headless-shell
    fi
    # shellcheck disable=SC2086
    apt-get install -y -qq --no-install-recommends $browser $missing fonts-noto-cjk fontconfig >/dev/null
    exit 0
fi
if [ -n "$browser" ]; then
    "$python" -m playwright install chromium || {
        echo "The tests need Chromium. Install it (Debian: apt-get install chromium) or let Playwright fetch it." >&2
        exit 1
    }
fi
if [ -n "$missing" ]; then
    echo "The tests need these programs; install them first:$missing" >&2
    exit 1
fi

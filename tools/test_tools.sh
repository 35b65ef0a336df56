#!/bin/sh
# What the tests need beside Python packages: Chromium with a Japanese font, GNU gettext, PostgreSQL and Redis.
# Root on Debian or Ubuntu: installed. Elsewhere: Chromium by Playwright; for the rest the message says what is missing.
set -eu
python=$1
missing=""
have() { command -v "$1" >/dev/null 2>&1; }
have chromium || have google-chrome || have chromium-browser || missing="$missing chromium"
have msgfmt && have xgettext || missing="$missing gettext"
have redis-server || missing="$missing redis-server"
ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || have postgres || missing="$missing postgresql"
[ -z "$missing" ] && { fc-list 2>/dev/null | grep -qi "noto.*cjk" && exit 0; }
if [ "$(id -u)" = 0 ] && have apt-get; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    # shellcheck disable=SC2086
    apt-get install -y -qq --no-install-recommends $missing fonts-noto-cjk fontconfig >/dev/null
    exit 0
fi
case " $missing " in
*" chromium "*)
    "$python" -m playwright install chromium || {
        echo "The tests need Chromium. Install it (Debian: apt-get install chromium) or let Playwright fetch it." >&2
        exit 1
    }
    missing=$(echo "$missing" | sed 's/ chromium//')
    ;;
esac
if [ -n "$missing" ]; then
    echo "The tests need these programs; install them first:$missing" >&2
    exit 1
fi

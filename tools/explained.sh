#!/bin/sh
# Runs a command that downloads and writes; if it fails, says what to do about the usual causes.
set -u
said=$(mktemp 2>/dev/null) || {
    echo "No temporary file can be written: make space in ${TMPDIR:-/tmp}, or set TMPDIR to a folder that you may write." >&2
    exit 1
}
trap 'rm -f "$said"' EXIT
"$@" 2>"$said"
status=$?
cat "$said" >&2
[ "$status" -eq 0 ] && exit 0

says() {
    grep -Eiq "$1" "$said"
}

if says 'certificate.?verify.?failed|self.?signed certificate|unable to get local issuer|invalid peer certificate|UnknownIssuer|SSLCertVerificationError'; then
    cat >&2 <<'TEXT'

The certificate of the package index is not trusted. As a rule a proxy inspects TLS connections here, as in many companies and universities.
1. Ask the administrators for the file of the proxy's root certificate (PEM).
2. export SSL_CERT_FILE=/path/to/root.pem PIP_CERT=/path/to/root.pem
   Where the system trusts that certificate already: export UV_SYSTEM_CERTS=true, and leave these out.
3. Give the same command again.
Do not switch verification off: what is installed here scores a contest.
TEXT
elif says 'no space left|disk quota'; then
    echo "
There is no space left: free some, or set TMPDIR and UV_CACHE_DIR to folders on another disk, and give the same command again." >&2
elif says 'permission denied|read-only file system|operation not permitted|EACCES|EROFS'; then
    cat >&2 <<'TEXT'

A file or a folder cannot be written; the message above names it.
- The project's folder belongs to somebody else, or is read-only: copy it into a folder of your own, and run make there.
- A folder was written as root before, by sudo make: sudo chown -R "$(id -un)" .venv ~/.cache
Never run make with sudo.
TEXT
elif says 'proxy|407|name or service not known|name resolution|nodename nor servname|dns error|getaddrinfo|connection (refused|timed out|reset)|network is unreachable|timed out|could not connect|error sending request|failed to fetch|no matching distribution|could not find a version'; then
    cat >&2 <<'TEXT'

The package index does not answer. Behind a proxy: export HTTPS_PROXY=http://proxy.example.org:8080, then give the same command again.
TEXT
fi
exit "$status"

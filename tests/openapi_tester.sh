#!/usr/bin/env bash
# Lets a public property-based tester (schemathesis, from PyPI) loose on the service, with the description as its only knowledge:
# once with the owner's access token, once with an API key. Ends with the tester's own closing lines; the exit status is 0 when
# every answer of both runs is one that the description allows. Arguments go to the tester, for example `--max-examples 200`.
# With GANTRY_TEST_DATABASE=postgres://user@host/database the service uses new databases on this PostgreSQL server (needs psql).
set -euo pipefail
cd "$(dirname "$0")/.."
here=$PWD
work=$(mktemp -d)
server=${GANTRY_TEST_DATABASE:-}
served=
database=
finish() {
    [ -z "$served" ] || { kill "$served" && wait "$served"; } 2>/dev/null || true
    served=
    [ -z "$database" ] || psql --quiet --no-psqlrc "$server" --command "DROP DATABASE IF EXISTS $database WITH (FORCE)" || true
    database=
}
trap 'finish; rm -rf "$work"' EXIT

# The tester, where it is, or in a virtual environment beside the build.
tools=$(realpath -m "${OPENAPI_TESTER_HOME:-${CARGO_TARGET_DIR:-target}/openapi-tester}")
if [ ! -x "$tools/bin/schemathesis" ]; then
    "${PYTHON:-python3}" -m venv "$tools"
    "$tools/bin/pip" install --quiet schemathesis
fi
if [ -z "${GANTRY:-}" ]; then
    cargo build --quiet
    GANTRY=${CARGO_TARGET_DIR:-target}/debug/gantry
fi

failed=0
for who in user key; do
    echo "== as $who"
    rm -f "$work/ready"
    # in the environment, where an address may contain a password; without one the data is in memory
    url=
    if [ -n "$server" ]; then
        database=gantry_tester_$$_$who
        psql --quiet --no-psqlrc "$server" --command "CREATE DATABASE $database TEMPLATE template0"
        url=$(sed -E "s|^([^:]+://[^/?]*)[^?]*|\1/$database|" <<<"$server")
    fi
    GANTRY_DATABASE_URL=$url "$GANTRY" serve --listen 127.0.0.1:0 --ready-file "$work/ready" >"$work/log" 2>&1 &
    served=$!
    for _ in $(seq 600); do if [ -s "$work/ready" ]; then break; else sleep 0.1; fi; done
    [ -s "$work/ready" ] || { cat "$work/log"; exit 1; }
    read -r OPENAPI_TESTER_TOKEN url < <("$tools/bin/python" tests/openapi_tester.py "$work/openapi.json" "$work/ready" "$who" assets/openapi.yaml)
    export OPENAPI_TESTER_TOKEN
    # it leaves a folder where it runs
    (cd "$work" && "$tools/bin/schemathesis" --config-file "$here/tests/openapi_tester.toml" run openapi.json --url "$url" --checks all \
        --no-color "$@") || failed=1
    finish
done
exit $failed

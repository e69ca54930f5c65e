#!/usr/bin/env bash
# Lets a public property-based tester (schemathesis, from PyPI) loose on the service, with the description as its only knowledge:
# once with the owner's access token, once with an API key. Ends with the tester's own closing lines; the exit status is 0 when
# every answer of both runs is one that the description allows. Arguments go to the tester, for example `--max-examples 200`.
set -euo pipefail
cd "$(dirname "$0")/.."
here=$PWD
work=$(mktemp -d)
served=
trap '[ -z "$served" ] || kill "$served" 2>/dev/null || true; rm -rf "$work"' EXIT

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
    "$GANTRY" serve --listen 127.0.0.1:0 --data :memory: --ready-file "$work/ready" >"$work/log" 2>&1 &
    served=$!
    for _ in $(seq 600); do if [ -s "$work/ready" ]; then break; else sleep 0.1; fi; done
    read -r OPENAPI_TESTER_TOKEN url < <("$tools/bin/python" tests/openapi_tester.py "$work/openapi.json" "$work/ready" "$who" assets/openapi.yaml)
    export OPENAPI_TESTER_TOKEN
    # it leaves a folder where it runs
    (cd "$work" && "$tools/bin/schemathesis" --config-file "$here/tests/openapi_tester.toml" run openapi.json --url "$url" --checks all \
        --no-color "$@") || failed=1
    kill "$served"
    wait "$served" || true
    served=
done
exit $failed

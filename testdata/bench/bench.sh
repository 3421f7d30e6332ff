#!/bin/sh
# bench.sh [NAME=WRAPPER_COMMAND_LINE ...]
#
# Measures wrappers against a bare run, all in one interleaved run. Without
# arguments: fwrap as built from this tree with and without detection, bare once
# more (env, for the spread of the measurement itself), and script and sudo if
# they are there. See README.md for the columns.
#
# BENCH_FLAGS goes to ptybench, e.g. BENCH_FLAGS="-mb 30 -keys 150 -starts 9".
set -eu
here=$(cd "$(dirname "$0")" && pwd)
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
cd "$here/../.."
go build -o "$bin/ptybench" ./testdata/bench/ptybench
if [ $# -eq 0 ]; then
	CGO_ENABLED=0 go build -o "$bin/fwrap" .
	set -- "fwrap=$bin/fwrap --" "fwrap+detect=$bin/fwrap --agent claude --" "bare-again=env"
	if command -v script >/dev/null; then set -- "$@" "script=$here/adapters/script.sh"; fi
	if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then set -- "$@" "sudo=$here/adapters/sudo.sh"; fi
fi
# shellcheck disable=SC2086 # flags are split at spaces
"$bin/ptybench" ${BENCH_FLAGS:-} "$@"

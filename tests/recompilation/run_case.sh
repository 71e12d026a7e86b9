#!/bin/sh
# Runs one shared case; skipped (77), and said so, where the folder of cases is missing.
if ! test -f "$1"; then
    echo "SKIPPED: $1 is not there; say where the shared cases are with -DPKC_CASES_DIR=<folder>"
    exit 77
fi
exec bash "$1"

#!/bin/sh
# A user's compiler launcher: notes each file that is really compiled, then compiles it.
for argument in "$@"; do
    case $argument in
    *.cpp | *.c) printf '%s\n' "$argument" >> "$PKC_COMPILE_LOG" ;;
    esac
done
exec "$@"

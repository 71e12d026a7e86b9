#!/bin/sh
# A compiler launcher that notes each kernel that is really compiled: LOG COMPILER ARGUMENTS...
log=$1
shift
for argument in "$@"; do
    case $argument in
    *.kernel.cpp) printf '%s\n' "$argument" >> "$log" ;;
    esac
done
exec "$@"

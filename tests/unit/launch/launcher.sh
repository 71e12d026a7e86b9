# What the launcher's tests share: sourced by each, with LAUNCHER and COMPILER as arguments.
set -u
launcher=$1
compiler=$2
work=$(mktemp -d "$(pwd)/launcher-test-XXXXXX") || exit 1
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
unset PYKOKKOS_CACHE_DISABLE PYKOKKOS_CACHE_MAX_SIZE CPATH CPLUS_INCLUDE_PATH PYKOKKOS_CACHE_VERBOSE
failed=0

fail() {
    echo "FAILED: $case: $*"
    failed=1
}

# A fresh project and store for each case.
begin() {
    case=$1
    dir=$work/$2
    export PYKOKKOS_CACHE_DIR="$dir/store"
    mkdir -p "$dir/inc/pykokkos_cache" "$dir/build/k"
    cd "$dir/build" || exit 1
    cat > "$dir/inc/pykokkos_cache/base.hpp" <<'END'
#ifndef BASE_HPP
#define BASE_HPP
#ifndef FACTOR
#define FACTOR 2
#endif
#endif
END
    echo '#include <pykokkos_cache/base.hpp>' > "$dir/inc/pykokkos_cache/view.hpp"
    cat > k/s.kernel.cpp <<'END'
// PyKokkosCache kernel 1
#include <pykokkos_cache/view.hpp>
extern "C" void s(double *v, long n) { for (long i = 0; i < n; i++) v[i] *= FACTOR; }
END
    # The user's own launcher: counts, then runs the compiler.
    printf '#!/bin/sh\necho x >> "%s/count"\nexec "$@"\n' "$dir" > "$dir/counter"
    chmod +x "$dir/counter"
    : > "$dir/count"
}

# compile FLAG...: the usual command with some flags more.
compile() {
    "$launcher" compile "--compiler=$compiler" -- "$dir/counter" "$compiler" -O2 "$@" \
        "-I$dir/inc" -MD -MT k/s.o -MF k/s.o.d -o k/s.o -c "$dir/build/k/s.kernel.cpp"
}

# expect COUNT WORDS: so many compiles since the last time.
expect() {
    count=$(wc -l < "$dir/count")
    [ "$count" -eq "$1" ] || fail "$2: $count compiles, not $1"
    : > "$dir/count"
}

twice() { # compiled each time, and right
    "$@" > out 2> err || fail "exit status of $*: $(cat err)"
    "$@" > out 2> err
    expect 2 "$*"
}
plain() { "$launcher" compile "--compiler=$compiler" -- "$dir/counter" "$compiler" "$@"; }

# With a compiler of the case's own.
own() { "$launcher" compile "--compiler=$dir/g++" -- "$dir/counter" "$dir/g++" -O2 "$@" "-I$dir/inc" \
    -o k/s.o -c k/s.kernel.cpp; }

# At the end of each test.
finish() {
    cd "$work/.." || exit 1
    [ $failed -eq 0 ] && echo "all passed"
    exit $failed
}

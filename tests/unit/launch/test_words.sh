#!/bin/sh
# The launcher in real compiles: what it says. usage: test_words.sh LAUNCHER COMPILER
. "$(dirname "$0")/launcher.sh"

begin "verbose" verbose
printf 'module=m\nworkunit=w\nast_hash=%064d\nsignature_hash=%064d\n' 1 2 > k/s.kernel.meta
export PYKOKKOS_CACHE_VERBOSE=1
says() {
    grep -q "$1" err || fail "not '$1': $(cat err)"
}
compile 2> err; says 'compiled m.w in [0-9]* ms: first build$'
compile 2> err; says 'restored m.w'
compile -O3 2> err; says ': flags: added -O3$'
sed -i 's/\*=/+=/' k/s.kernel.cpp
printf 'module=m\nworkunit=w\nast_hash=%064d\nsignature_hash=%064d\n' 3 2 > k/s.kernel.meta
compile -O3 2> err; says ': body$'
echo '//' >> "$dir/inc/pykokkos_cache/base.hpp"
compile -O3 2> err; says ': header: pykokkos_cache/base.hpp$'
rm -rf "$PYKOKKOS_CACHE_DIR/entries"
compile -O3 2> err; says ': evicted$'
object() { find "$PYKOKKOS_CACHE_DIR/entries" -name object; }
printf 'X' | dd of="$(object)" bs=1 seek=100 conv=notrunc 2> /dev/null
compile -O3 2> err; says ': damaged$'
CPATH="$dir/nothing" compile -O3 2> err; says ": environment: added CPATH=$dir/nothing$"
compile -O3 2> /dev/null
kokkos() { # VERSION FLAG...
    version=$1
    shift
    "$launcher" compile "--compiler=$compiler" "--kokkos=$version" -- "$compiler" -O2 -O3 "$@" \
        "-I$dir/inc" -MD -MT k/s.o -MF k/s.o.d -o k/s.o -c "$dir/build/k/s.kernel.cpp"
}
kokkos 3.4.1 -fno-math-errno 2> err; says ': flags: added -fno-math-errno$'
kokkos 4.6.0 -fno-math-errno 2> err; says 'restored m.w' # nothing of Kokkos reaches it
kokkos 3.4.1 -fno-exceptions 2> /dev/null
kokkos 4.6.0 -fno-exceptions -fopenmp 2> err
says ': Kokkos: 3.4.1 -> 4.6.0; flags: added -fopenmp$'
kokkos 4.6.0 -g 2> /dev/null
cp -r "$dir/build" "$dir/build2"
(cd "$dir/build2" && compile -O3 -g) 2> err; says ': paths: '
printf '#!/bin/sh\nexec "%s" "$@"\n' "$compiler" > "$dir/g++"
chmod +x "$dir/g++"
own 2> /dev/null
echo '# changed' >> "$dir/g++"
own 2> err; says ': compiler: .*, another program of that version$'
# What a build tree had last tells, not what another tree did since.
compile -O3 2> /dev/null
(cd "$dir/build2" && "$launcher" compile "--compiler=$compiler" -- "$compiler" -O1 "-I$dir/inc" \
    -o k/s.o -c "$dir/build2/k/s.kernel.cpp") 2> /dev/null
compile -O3 -fno-rtti 2> err; says ': flags: added -fno-rtti$'
unset PYKOKKOS_CACHE_VERBOSE

begin "what is told unasked" unasked
meta() { printf 'module=m\nworkunit=w\nast_hash=%064d\nsignature_hash=%064d\n' "$1" 2 > k/s.kernel.meta; }
edit() { meta "$1"; sed -i "s/^extern.*v\[i\].*/extern \"C\" void s(double *v, long n) { for (long i = 0; i < n; i++) v[i] = $1; }/" k/s.kernel.cpp; }
meta 1
compile > out 2> err
[ ! -s out ] && [ ! -s err ] || fail "a first build: $(cat out err)"
edit 2
compile > out 2> err
grep -qx 'pykokkos-cache: compiled m.w in [0-9]* ms: body' out || fail "an edit: $(cat out)"
[ ! -s err ] || fail "$(cat err)"
compile -O3 > out 2> err
[ ! -s out ] && [ ! -s err ] || fail "another flag: $(cat out err)"
edit 1
compile > out; compile > out 2> err
[ ! -s out ] && [ ! -s err ] || fail "a hit: $(cat out err)"
edit 3
PYKOKKOS_CACHE_VERBOSE=0 compile > out 2> err
[ ! -s out ] && [ ! -s err ] || fail "silenced: $(cat out err)"
for i in 4 5 6 7 8 9 10 11 12 13; do
    edit $i
    compile
done > out 2> err
count=$(wc -l < out) # those of one build, here of none: five have been remembered before
[ "$count" -eq 5 ] || fail "$count lines: $(cat out)"

finish

#!/bin/sh
# The launcher in real compiles: what is taken from the store, what is compiled, and what is passed through. usage: test_hits.sh LAUNCHER COMPILER
. "$(dirname "$0")/launcher.sh"

begin "miss, then hit" hit
compile || fail "exit status"
expect 1 "first"
cp k/s.o first.o
cp k/s.o.d first.d
rm k/s.o k/s.o.d
compile || fail "exit status"
expect 0 "again"
cmp -s k/s.o first.o || fail "the object differs"
for name in s.kernel.cpp view.hpp base.hpp; do
    grep -q "$name" k/s.o.d || fail "$name is not in the depfile"
done
grep -q '^k/s.o:' k/s.o.d || fail "the depfile's target"
[ "$(stat -c %h k/s.o)" -eq 1 ] || fail "the object is a hard link"
[ -z "$(find . -name '.pkc*')" ] || fail "litter"
touch -d '1 hour ago' k/s.o
compile
[ -n "$(find k/s.o -mmin -5)" ] || fail "the restored object is not fresh"
[ "$("$launcher" stats | head -n 1)" = "2 hits 1 misses 1 entries" ] || fail "$("$launcher" stats)"

begin "what must compile again" again
compile; expect 1 "first"
compile -O3; expect 1 "a flag"
compile -DFACTOR=3; expect 1 "a definition that the header sees"
compile -DUNSEEN=3; expect 0 "a definition that nothing sees"
compile -UFACTOR; expect 1 "an undefinition"
compile -O2 -O3; expect 1 "flags in another order"
compile -O3 -O2; expect 1 "flags in another order"
echo '// changed' >> "$dir/inc/pykokkos_cache/base.hpp"
compile; expect 1 "a header of a header"
sed -i 's/ v\[i\] \*=/ v[i] +=/' k/s.kernel.cpp
compile; expect 1 "the text"
sed -i 's/ v\[i\] +=/ v[i] *=/' k/s.kernel.cpp
compile; expect 0 "the text as before"
mkdir "$dir/other" "$dir/other/pykokkos_cache"
cp "$dir/inc/pykokkos_cache/base.hpp" "$dir/other/pykokkos_cache"
echo '// shadows' >> "$dir/other/pykokkos_cache/base.hpp"
compile "-I$dir/other"; expect 1 "a header that shadows another"
compile -g; expect 1 "debug information"
compile -g; expect 0 "debug information again"
cp -r "$dir/build" "$dir/build2"
(cd "$dir/build2" && compile -g); expect 1 "debug information in another folder"

begin "a header that GCC puts before all" preincluded
mkdir "$dir/env"
alone() { plain -O2 "-I$dir/inc" -c -o k/s.o k/s.kernel.cpp; } # no depfile that would tell
for CPATH in "$dir/env" ../env; do
    export CPATH
    alone; expect 1 "none in a folder of CPATH"
    alone; expect 0 "again"
    echo '#define FACTOR 7' > "$dir/env/stdc-predef.h"
    alone; expect 1 "one came up"
    alone; expect 0 "again"
    echo '#define FACTOR 8' > "$dir/env/stdc-predef.h"
    alone; expect 1 "another text"
    rm "$dir/env/stdc-predef.h"
    alone; expect 0 "and gone again"
done
unset CPATH
alone; expect 1 "without CPATH"
echo '#define FACTOR 9' > "$dir/inc/stdc-predef.h"
alone; expect 1 "one in a folder that the command names"
rm "$dir/inc/stdc-predef.h"
alone; expect 0 "and gone again"

begin "another checkout" checkout1
compile; expect 1 "first checkout"
store=$PYKOKKOS_CACHE_DIR
begin "another checkout" deeper/checkout2
PYKOKKOS_CACHE_DIR=$store compile; expect 0 "second checkout"
(LC_ALL=C.UTF-8 TZ=Asia/Tokyo HOME=/nonexistent PYKOKKOS_CACHE_DIR=$store compile)
expect 0 "another locale, time zone and home"

begin "what is not cached" through
twice compile -save-temps
twice compile --coverage
twice compile -fstack-usage
twice compile -gsplit-dwarf
twice plain "-I$dir/inc" -E k/s.kernel.cpp
twice plain "-I$dir/inc" -S -o s.s k/s.kernel.cpp
twice plain "-I$dir/inc" -c k/s.kernel.cpp
[ -f s.kernel.o ] || fail "no object without -o"
twice plain "-I$dir/inc" -c k/s.kernel.cpp -o /dev/null
[ -c /dev/null ] || fail "/dev/null is gone"
echo 'int plain;' > plain.cpp
twice plain -c plain.cpp -o plain.o
sed -i '2i #define unused __DATE__' k/s.kernel.cpp
twice compile
sed -i '2d' k/s.kernel.cpp
sed -i '2i #include <stddef.h>' k/s.kernel.cpp
twice compile
sed -i '2d' k/s.kernel.cpp
echo 'static int unused_function() { return 1; }' >> k/s.kernel.cpp
twice compile -Wall
grep -q unused_function err || fail "the warning was swallowed"
echo 'syntax error' >> k/s.kernel.cpp
compile 2> err && fail "no exit status"
grep -q "does not name a type\|unknown type" err || fail "the error was swallowed"

begin "an @file" response
printf '%s\n' "-DFACTOR=4 '-I$dir/inc'" '"-O2" k/s.kernel.cpp' > args
at() { "$launcher" compile -- "$dir/counter" "$compiler" @args -c -o k/s.o; }
at || fail "exit status"
expect 1 "first"
at; expect 0 "again"
sed -i 's/FACTOR=4/FACTOR=5/' args
at; expect 1 "changed"

begin "names" "na mes"
cp k/s.kernel.cpp 'k/a #$ b.kernel.cpp'
odd() { "$launcher" compile "--compiler=$compiler" -- "$dir/counter" "$compiler" "-I$dir/inc" -MD \
    -MQ 'k/a #$ b.o' -MF 'k/a #$ b.d' -o 'k/a #$ b.o' -c "$dir/build/k/a #\$ b.kernel.cpp"; }
odd || fail "exit status"
expect 1 "first"
rm 'k/a #$ b.d'
odd; expect 0 "again"
grep -qF 'k/a\ \#$$\ b.o:' 'k/a #$ b.d' || fail "target: $(cat 'k/a #$ b.d')"
grep -qF 'k/a\ \#$$\ b.kernel.cpp' 'k/a #$ b.d' || fail "source: $(cat 'k/a #$ b.d')"

begin "relative paths for a cache behind" relative
printf '#!/bin/sh\necho "$@" > "%s/seen"\nexec "$@"\n' "$dir" > "$dir/counter"
compile
grep -q -- '-o k/s.o -c k/s.kernel.cpp' "$dir/seen" || fail "$(cat "$dir/seen")"
grep -q -- '-I../inc' "$dir/seen" || fail "$(cat "$dir/seen")"

finish

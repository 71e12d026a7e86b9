#!/bin/sh
# The launcher in real compiles. usage: test_launcher.sh LAUNCHER COMPILER
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

begin "another checkout" checkout1
compile; expect 1 "first checkout"
store=$PYKOKKOS_CACHE_DIR
begin "another checkout" deeper/checkout2
PYKOKKOS_CACHE_DIR=$store compile; expect 0 "second checkout"
(LC_ALL=C.UTF-8 TZ=Asia/Tokyo HOME=/nonexistent PYKOKKOS_CACHE_DIR=$store compile)
expect 0 "another locale, time zone and home"

begin "another compiler" compiler
printf '#!/bin/sh\nexec "%s" "$@"\n' "$compiler" > "$dir/g++"
chmod +x "$dir/g++"
own() { "$launcher" compile "--compiler=$dir/g++" -- "$dir/counter" "$dir/g++" -O2 "$@" "-I$dir/inc" \
    -o k/s.o -c k/s.kernel.cpp; }
own; expect 1 "a compiler of our own"
own; expect 0 "again"
echo '# changed' >> "$dir/g++"
own; expect 1 "changed"

begin "the parts of a compiler" parts
# A compiler of which this test decides what its parts are and what -march=native means.
echo one > "$dir/cc1plus"
chmod +x "$dir/cc1plus"
echo '-march=old' > "$dir/native"
cat > "$dir/g++" <<END
#!/bin/sh
case "\$*" in
-print-prog-name=cc1plus) echo "$dir/cc1plus" ;;
*-march=native*-###*) echo " cc1plus \$(cat "$dir/native")" >&2 ;;
*) exec "$compiler" "\$@" ;;
esac
END
chmod +x "$dir/g++"
own; expect 1 "first"
own; expect 0 "again"
echo two > "$dir/cc1plus"
own; expect 1 "another cc1plus behind the same driver"
own; expect 0 "again"
echo one > "$dir/cc1plus"
own; expect 0 "the first one again"
own -march=native; expect 1 "-march=native"
own -march=native; expect 0 "again"
echo '-march=new' > "$dir/native"
own; expect 0 "another machine, without -march=native"
own -march=native; expect 1 "another machine"
echo '-march=old' > "$dir/native"
own -march=native; expect 0 "the first machine again"

begin "a kept identity" identity
# A program, not a script, so that what it says is kept; a link to it has its own folder of parts.
cp -L "$(command -v "$compiler")" "$dir/g++" 2> /dev/null
if "$dir/g++" --version > /dev/null 2>&1 && "$dir/g++" -E -x c++ /dev/null > /dev/null 2>&1; then
    own; expect 1 "first"
    [ -n "$(ls -A "$PYKOKKOS_CACHE_DIR/compilers")" ] || fail "nothing kept"
    own; expect 0 "again"
    printf 'x' >> "$dir/g++" # behind the program's end: it still runs
    own; expect 1 "another program of that name"
fi

begin "an assembler that comes up where the driver looks first" assembler
# Only where the driver takes it from PATH.
if [ "$("$compiler" -print-prog-name=as)" = as ]; then
    path=$PATH
    as=$(command -v as)
    assembler() { printf '#!/bin/sh\nexec "%s" "$@"\n' "$as" > "$1/as" && chmod +x "$1/as"; }
    mkdir "$dir/first" "$dir/second"
    PATH=$dir/first:$path
    compile; expect 1 "first"
    compile; expect 0 "again"
    assembler "$dir/first"
    compile; expect 1 "another one in PATH"
    compile; expect 0 "again"
    rm "$dir/first/as"
    compile; expect 0 "and gone again"
    export COMPILER_PATH="$dir/second"
    compile; expect 1 "COMPILER_PATH"
    compile; expect 0 "again"
    assembler "$dir/second"
    compile; expect 1 "another one in a folder of COMPILER_PATH"
    rm "$dir/second/as"
    compile; expect 0 "and gone again"
    unset COMPILER_PATH
    PATH=$path
fi

# A dispatch TU: its headers are what the compiler says.
dispatch() {
    (cd "${at:-$dir/build}" && "$launcher" compile "--compiler=$compiler" -- "$dir/counter" \
        "$compiler" -O2 "$@" -I../early -I../inc -isystem ../sys -MD -MT k/d.o -MF k/d.o.d \
        -o k/d.o -c k/d.dispatch.cpp)
}
begin_dispatch() {
    begin "$1" "$2"
    mkdir -p "$dir/early" "$dir/sys/deep"
    cat > k/d.dispatch.cpp <<'END'
// PyKokkosCache dispatch 1
#include <pykokkos_cache/base.hpp>
#include <deep/outer.hpp>
#include <cstddef>
int f() { return FACTOR + INNER + (int)sizeof(std::size_t) + (int)sizeof(__FILE__); }
END
    printf '#define INNER_IS(x) __has_include(x)\n#include "inner.hpp"\n' > "$dir/sys/deep/outer.hpp"
    printf '#if INNER_IS(<optional/extra.hpp>)\n#define INNER 7\n#else\n#define INNER 5\n#endif\n' \
        > "$dir/sys/deep/inner.hpp"
    sleep 0.05 # headers made just before a compile may have changed in it: not kept
}

begin_dispatch "a dispatch TU" dispatch
dispatch || fail "exit status"
expect 1 "first"
cp k/d.o first.o
rm k/d.o k/d.o.d
dispatch || fail "exit status"
expect 0 "again"
cmp -s k/d.o first.o || fail "the object differs"
for name in 'k/d.o:' k/d.dispatch.cpp base.hpp outer.hpp inner.hpp /cstddef; do
    grep -qF "$name" k/d.o.d || fail "$name is not in the depfile: $(cat k/d.o.d)"
done
mkdir -p "$dir/build2/k"
cp k/d.dispatch.cpp "$dir/build2/k"
at="$dir/build2" dispatch; expect 0 "another build folder"
cmp -s "$dir/build2/k/d.o" first.o || fail "the object differs"
dispatch -g; expect 1 "debug information"
at="$dir/build2" dispatch -g; expect 1 "debug information in another folder"
dispatch -DANY=1; expect 1 "any definition: a header may see it"
dispatch --sysroot=/; expect 1 "headers from other folders"
dispatch --sysroot=/; expect 1 "which are not known, so that nothing is kept"
sed -i 's/5/6/' "$dir/sys/deep/inner.hpp"; sleep 0.05
dispatch; expect 1 "a header of a header"
sed -i 's/6/5/' "$dir/sys/deep/inner.hpp"
dispatch; expect 0 "as it was"
cmp -s k/d.o first.o || fail "the object differs"
mkdir -p "$dir/early/deep"
cp "$dir/sys/deep/inner.hpp" "$dir/early/deep/other.hpp"
dispatch; expect 0 "a header of another name"
echo '#define INNER 9' > "$dir/early/deep/outer.hpp"; sleep 0.05
dispatch; expect 1 "a header that shadows another"
cmp -s k/d.o first.o && fail "the shadowed header was used"
rm "$dir/early/deep/outer.hpp"
dispatch; expect 0 "and gone again"
cmp -s k/d.o first.o || fail "the object differs"
printf '#define NULL_H\n' > "$dir/inc/cstddef"; echo 'namespace std { using size_t = unsigned long; }' >> "$dir/inc/cstddef"
sleep 0.05
dispatch; expect 1 "a system header shadowed"
rm "$dir/inc/cstddef"
mkdir "$dir/inc/optional"
: > "$dir/inc/optional/extra.hpp"; sleep 0.05
dispatch; expect 1 "a header that another asks for came up"
cmp -s k/d.o first.o && fail "it was not asked for"
cp k/d.o extra.o
rm "$dir/inc/optional/extra.hpp"
dispatch; expect 0 "and gone again"
cmp -s k/d.o first.o || fail "the object differs"
: > "$dir/inc/optional/extra.hpp"
dispatch; expect 0 "and there again"
cmp -s k/d.o extra.o || fail "the object differs"
rm "$dir/inc/optional/extra.hpp"
mkdir "$dir/more"
CPATH="$dir/more" dispatch; expect 1 "a folder from the environment"
rm "$dir/sys/deep/inner.hpp"
dispatch 2> /dev/null && fail "a missing header"
expect 1 "a missing header"

# Headers that are older than the grain of a file system's clock are known by their stamps.
begin_dispatch "headers that are not read again" dispatch_settled
mkdir -p "$dir/early/deep" "$dir/alias/deep" "$dir/inc/optional"
ln -s ../gone.hpp "$dir/inc/optional/extra.hpp"
mkdir "$dir/linked"
ln -s ../alias/deep "$dir/linked/deep"
settled() { dispatch -I../linked; }
memo() { cat "$PYKOKKOS_CACHE_DIR"/headers/*; }
sleep 4.1
settled || fail "exit status"
expect 1 "first"
cp k/d.o first.o
settled; expect 0 "again"
for name in base.hpp deep/outer.hpp deep/inner.hpp; do
    memo | grep -q "^header [0-9a-f]* [0-9a-f]*\.[0-9a-f.]* .*$name\$" || fail "no stamp of $name: $(memo)"
done
memo | grep -q "^look - .*inc$" || fail "a link to a file that may come up elsewhere: $(memo)"
echo '#define EXTRA' > "$dir/inc/gone.hpp"
settled; expect 1 "what a link leads to came up"
rm "$dir/inc/gone.hpp"
settled; expect 0 "and gone again"
cmp -s k/d.o first.o || fail "the object differs"
echo '#define INNER 8' > "$dir/alias/deep/inner.hpp"
echo '#include "inner.hpp"' > "$dir/alias/deep/outer.hpp"
settled; expect 1 "a header in a folder behind a link"
rm "$dir"/alias/deep/*.hpp
settled; expect 0 "and gone again"
cmp -s k/d.o first.o || fail "the object differs"
cp "$dir/sys/deep/inner.hpp" "$dir/early/deep/inner.hpp"
sleep 0.05
settled; expect 1 "one beside, which the compiler passes by: it may be another's place"
rm "$dir/early/deep/inner.hpp"
settled; expect 0 "and gone again"
cp -p "$dir/sys/deep/inner.hpp" "$dir/kept.hpp"
printf '#if INNER_IS(<optional/extra.hpp>)\n#define INNER 7\n#else\n#define INNER 4\n#endif\n' > "$dir/sys/deep/inner.hpp"
touch -r "$dir/kept.hpp" "$dir/sys/deep/inner.hpp"
sleep 0.05
settled; expect 1 "another text of the same length and time"
cmp -s k/d.o first.o && fail "the old text was used"
mv "$dir/kept.hpp" "$dir/sys/deep/inner.hpp"
settled; expect 0 "the old file in its place again"
cmp -s k/d.o first.o || fail "the object differs"
for folder in inc sys early linked; do
    mv "$dir/$folder" "$dir/old"
    cp -a "$dir/old" "$dir/$folder"
    rm -r "$dir/old"
done
sleep 4.1
memo > before
settled; expect 0 "other files with the same texts"
memo > after
cmp -s before after && fail "their stamps were not kept"
settled; expect 0 "again"
memo | cmp -s - after || fail "kept again: $(diff before after)"

begin_dispatch "a header that asks for the next of its name" dispatch_next
mkdir -p "$dir/late/deep"
printf '#if __has_include_next(<deep/outer.hpp>)\n#define NEXT 1\n#else\n#define NEXT 2\n#endif\n' \
    >> "$dir/sys/deep/outer.hpp"
sed -i 's/INNER/INNER + NEXT/' k/d.dispatch.cpp
sleep 0.05
next() { dispatch -idirafter ../late; }
next || fail "exit status"
expect 1 "first"
cp k/d.o first.o
next; expect 0 "again"
echo '#define NOT_INCLUDED' > "$dir/late/deep/outer.hpp"; sleep 0.05
next; expect 1 "the next one came up"
cmp -s k/d.o first.o && fail "it was not asked for"
rm "$dir/late/deep/outer.hpp"
next; expect 0 "and gone again"
cmp -s k/d.o first.o || fail "the object differs"

begin_dispatch "a folder that the compiler searches by itself comes up" own_folder
# A copy of GCC's driver has its own folder of parts, and some beside it that are not there: those of
# C++, among others.
sed -i 's/<cstddef>/<stddef.h>/; s/std::size_t/size_t/' k/d.dispatch.cpp
parts=$(dirname "$("$compiler" -print-libgcc-file-name)")
home=$dir/own/lib/gcc/$(basename "$(dirname "$parts")")/$(basename "$parts")
mkdir -p "$home" "$dir/own/bin"
ln -s "$parts"/* "$home"
cp -L "$(command -v "$compiler")" "$dir/own/bin/g++" 2> /dev/null
own_dispatch() { (compiler=$dir/own/bin/g++ && dispatch); }
folder=$(LC_ALL=C "$dir/own/bin/g++" -E -v -x c++ /dev/null 2>&1 |
    sed -n 's|^ignoring nonexistent directory "\(.*/own/.*/include/c++/.*\)"$|\1|p' | head -n 1)
if [ -n "$folder" ]; then
    own_dispatch || fail "exit status"
    expect 1 "first"
    cp k/d.o first.o
    own_dispatch; expect 0 "again"
    mkdir -p "$folder"
    own_dispatch; expect 0 "an empty folder"
    echo 'typedef char size_t;' > "$folder/stddef.h"; sleep 0.05
    own_dispatch; expect 1 "a header in it that shadows another"
    cmp -s k/d.o first.o && fail "the shadowed header was used"
    rm -r "$folder"
    own_dispatch; expect 0 "and gone again"
    cmp -s k/d.o first.o || fail "the object differs"
fi

begin_dispatch "C++ in a file named .c" named_c
mv k/d.dispatch.cpp k/d.c
named_c() { plain -O2 -I../inc -isystem ../sys "$@" -MD -MT k/d.o -MF k/d.o.d -o k/d.o -c k/d.c; }
named_c -x c++ || fail "exit status"
expect 1 "first"
named_c -x c++; expect 0 "again"
sed -i 's/5/6/' "$dir/sys/deep/inner.hpp"; sleep 0.05
named_c -x c++; expect 1 "a header of a header"
named_c -xc++ -std=c++17; expect 1 "another standard"
named_c -xc++ -std=c++17; expect 0 "again"

begin_dispatch "dispatch TUs that are not kept" dispatch_through
sed -i 's/FACTOR/(FACTOR + sizeof(__TIME__))/' k/d.dispatch.cpp
twice dispatch
sed -i 's/__TIME__/0/' k/d.dispatch.cpp
echo '#define T __DATE__' >> "$dir/sys/deep/inner.hpp"; sleep 0.05
twice dispatch
sed -i '/__DATE__/d' "$dir/sys/deep/inner.hpp"; sleep 0.05
echo '#define X <y>' >> "$dir/sys/deep/inner.hpp"
printf '#if __has_include(X)\n#endif\n' >> "$dir/sys/deep/inner.hpp"; sleep 0.05
twice dispatch
sed -i '/X/,$d' "$dir/sys/deep/inner.hpp"; sleep 0.05
twice plain -I../inc -isystem ../sys -MMD -MF k/d.o.d -o k/d.o -c k/d.dispatch.cpp
twice plain -I../inc -isystem ../sys -o k/d.o -c k/d.dispatch.cpp
printf '#!/bin/sh\necho x >> "%s/count"\n"$@"\necho "// late" >> "%s/sys/deep/inner.hpp"\n' "$dir" "$dir" > "$dir/counter"
cp "$dir/sys/deep/inner.hpp" before.hpp
dispatch; expect 1 "a header that changes during the compile"
cp before.hpp "$dir/sys/deep/inner.hpp"; sleep 0.05
dispatch; expect 1 "nothing was kept of it"

begin_dispatch "sixteen dispatch TUs at once" dispatch_many
printf '#!/bin/sh\necho x >> "%s/count"\nsleep 0.3\nexec "$@"\n' "$dir" > "$dir/counter"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    mkdir -p "$dir/b$i/k"
    cp k/d.dispatch.cpp "$dir/b$i/k"
    at="$dir/b$i" dispatch &
done
wait
expect 1 "one compile"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    cmp -s "$dir/b1/k/d.o" "$dir/b$i/k/d.o" || fail "object $i"
    [ -s "$dir/b$i/k/d.o.d" ] || fail "depfile $i"
done

begin "bad entries are not used" damaged
compile; expect 1 "first"
object=$(find "$PYKOKKOS_CACHE_DIR/entries" -name object)
printf 'X' | dd of="$object" bs=1 seek=100 conv=notrunc 2> /dev/null
compile 2> err; expect 1 "a flipped byte"
[ "$(grep -c 'damaged' err)" -eq 1 ] || fail "not said once: $(cat err)"
cmp -s k/s.o "$(find "$PYKOKKOS_CACHE_DIR/entries" -name object)" || fail "not kept again"
compile 2> err; expect 0 "mended"
[ ! -s err ] || fail "said again: $(cat err)"
: > "$(find "$PYKOKKOS_CACHE_DIR/entries" -name object)"
compile 2> /dev/null; expect 1 "an empty object"
: > "$(find "$PYKOKKOS_CACHE_DIR/entries" -name record)"
compile 2> /dev/null; expect 1 "an empty record"
compile; expect 0 "mended"
"$launcher" stats | grep -q 'damaged: 3' || fail "$("$launcher" stats)"

begin "stores that can't be used" unusable
mkdir -m 0777 "$PYKOKKOS_CACHE_DIR"
chmod 0777 "$PYKOKKOS_CACHE_DIR"
compile 2> err || fail "writable by others"
expect 1 "writable by others"
[ ! -s err ] || fail "a warning for each compile: $(cat err)"
PYKOKKOS_CACHE_VERBOSE=1 compile 2> err || fail "writable by others"
expect 1 "writable by others"
grep -q 'writable by others' err || fail "not said when asked"
rm -rf "$PYKOKKOS_CACHE_DIR"
: > "$PYKOKKOS_CACHE_DIR"
compile 2> err || fail "a file"
expect 1 "a file in the store's place"
[ ! -s err ] || fail "a warning for each compile: $(cat err)"
rm -f "$PYKOKKOS_CACHE_DIR"
PYKOKKOS_CACHE_DISABLE=1 compile 2> err || fail "switched off"
expect 1 "switched off"
[ ! -s err ] && [ ! -e "$PYKOKKOS_CACHE_DIR" ] || fail "switched off, and yet there"
if [ "$(id -u)" -ne 0 ]; then
    compile; expect 1 "fill it"
    chmod -R a-w "$PYKOKKOS_CACHE_DIR"
    compile || fail "read-only"
    expect 0 "a hit in a read-only store"
    compile -O3 2> /dev/null || fail "read-only"
    expect 1 "a miss in a read-only store"
    chmod -R u+w "$PYKOKKOS_CACHE_DIR"
fi

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

begin "a source that changes during its compile" race
printf '#!/bin/sh\necho x >> "%s/count"\n"$@"\necho "// late" >> k/s.kernel.cpp\n' "$dir" > "$dir/counter"
cp k/s.kernel.cpp before.cpp
compile 2> /dev/null; expect 1 "first"
cp before.cpp k/s.kernel.cpp
compile 2> /dev/null; expect 1 "nothing was kept of it"

begin "sixteen at once" many
printf '#!/bin/sh\necho x >> "%s/count"\nsleep 0.3\nexec "$@"\n' "$dir" > "$dir/counter"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    mkdir -p "$dir/b$i/k"
    cp k/s.kernel.cpp "$dir/b$i/k"
    (cd "$dir/b$i" && compile) &
done
wait
expect 1 "one compile"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    cmp -s "$dir/b1/k/s.o" "$dir/b$i/k/s.o" || fail "object $i"
    [ -s "$dir/b$i/k/s.o.d" ] || fail "depfile $i"
done

begin "the holder of a lock dies" lock
key=$("$launcher" key "--compiler=$compiler" -- "$compiler" -O2 "-I$dir/inc" -o k/s.o -c k/s.kernel.cpp)
mkfifo ready
"$launcher" hold-lock "$key" > ready &
holder=$!
read -r line < ready
[ "$line" = held ] || fail "not held"
"$launcher" compile "--compiler=$compiler" -- "$dir/counter" "$compiler" -O2 "-I$dir/inc" -o k/s.o \
    -c k/s.kernel.cpp &
waiter=$!
sleep 0.3
expect 0 "waits for the holder"
kill -9 $holder
wait $waiter || fail "exit status"
wait $holder 2> /dev/null
expect 1 "compiles then"

begin "killed at any moment" killed
printf '#!/bin/sh\nsleep 0.05\nexec "$@"\n' > "$dir/counter"
for after in 0.001 0.003 0.01 0.03 0.06 0.07 0.08 0.09 0.1 0.12; do
    rm -rf "$PYKOKKOS_CACHE_DIR"/entries
    rm -f k/s.o
    compile > /dev/null 2>&1 &
    process=$!
    sleep $after
    kill -9 $process 2> /dev/null
    wait $process 2> /dev/null
    sleep 0.2 # its compiler may still be at work
    compile || fail "after $after s"
    cmp -s k/s.o "$(find "$PYKOKKOS_CACHE_DIR/entries" -name object)" || fail "object after $after s"
done
compile -O3
[ -z "$(ls -A "$PYKOKKOS_CACHE_DIR/tmp")" ] || fail "litter in the store"

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

cd "$work/.." || exit 1
[ $failed -eq 0 ] && echo "all passed"
exit $failed

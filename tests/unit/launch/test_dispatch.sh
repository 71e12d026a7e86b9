#!/bin/sh
# The launcher in real compiles: TUs whose headers only the compiler knows. usage: test_dispatch.sh LAUNCHER COMPILER
. "$(dirname "$0")/launcher.sh"

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

begin_dispatch "nothing has changed" dispatch_same
memos() { find "$PYKOKKOS_CACHE_DIR/headers" -type f; }
dispatch || fail "exit status"
expect 1 "first"
cp k/d.o first.o
sleep 4.1
dispatch; expect 0 "again"
memo | grep -q '^look - ' && fail "a folder has to be looked into each time: $(memo)"
tr -s ' \\' '\n\n' < k/d.o.d | sort > first.d
rm k/d.o k/d.o.d
dispatch; expect 0 "and once more"
cmp -s k/d.o first.o || fail "the object differs"
tr -s ' \\' '\n\n' < k/d.o.d | sort | cmp -s - first.d || fail "the depfile differs: $(cat k/d.o.d)"
cp -p "$dir/sys/deep/inner.hpp" "$dir/kept.hpp"
sed -i 's/5/4/' "$dir/sys/deep/inner.hpp"
touch -r "$dir/kept.hpp" "$dir/sys/deep/inner.hpp"
sleep 0.05
dispatch; expect 1 "another text of the same length and time"
mv "$dir/kept.hpp" "$dir/sys/deep/inner.hpp"
dispatch; expect 0 "the old file in its place again"
cmp -s k/d.o first.o || fail "the object differs"
mkdir -p "$dir/early/deep"
cp "$dir/sys/deep/inner.hpp" "$dir/early/deep/inner.hpp"
sleep 0.05
dispatch; expect 1 "one of its name where the compiler looks first"
rm -r "$dir/early/deep"
dispatch; expect 0 "and gone again"
mkdir -p "$dir/inc/optional"
: > "$dir/inc/optional/extra.hpp"
sleep 0.05
dispatch; expect 1 "one that is asked for"
cmp -s k/d.o first.o && fail "it was not asked for"
rm -r "$dir/inc/optional"
dispatch; expect 0 "and gone again"
cmp -s k/d.o first.o || fail "the object differs"
rm "$dir/sys/deep/inner.hpp"
dispatch 2> /dev/null && fail "a header that is gone"
expect 1 "a header that is gone"

begin_dispatch "what is remembered of another command" dispatch_memo
dispatch; expect 1 "first"
own=$(memos)
dispatch -DFACTOR=3; expect 1 "another command"
sleep 4.1
dispatch; expect 0 "the first again"
other=$(memos | grep -v "$own")
dispatch -DFACTOR=3; expect 0 "again"
cp k/d.o other.o
cp "$own" "$other"
dispatch -DFACTOR=3; expect 1 "the wrong one"
cmp -s k/d.o other.o || fail "the object differs"
dispatch -DFACTOR=3; expect 0 "mended"
sed -i '0,/^header /s/\(header [0-9a-f]* \)[0-9a-f]/\1-/' "$other"
dispatch -DFACTOR=3; expect 1 "damaged"
dispatch -DFACTOR=3; expect 0 "mended"

begin_dispatch "a name that goes up" dispatch_up
mkdir -p "$dir/far" "$dir/more/early"
echo '#define UP 1' > "$dir/far/up.hpp"
echo '#include <../far/up.hpp>' >> "$dir/sys/deep/outer.hpp"
sed -i 's/INNER/INNER + UP/' k/d.dispatch.cpp
up() { dispatch -I../more/early; }
up; expect 1 "first"
cp k/d.o first.o
sleep 4.1
up; expect 0 "again"
grep -qF /../far/up.hpp k/d.o.d || fail "another name than this test is for: $(cat k/d.o.d)"
mkdir "$dir/more/far"
echo '#define UP 2' > "$dir/more/far/up.hpp"; sleep 0.05
up; expect 1 "one of its name, above a folder where the compiler looks first"
cmp -s k/d.o first.o && fail "it was not taken"
rm -r "$dir/more/far"
up; expect 0 "and gone again"
cmp -s k/d.o first.o || fail "the object differs"
: > "$dir/inc/other.hpp"; : > k/other
up; expect 0 "folders that have changed, and headers that have not"
cmp -s k/d.o first.o || fail "the object differs"
memo > before
up; expect 0 "again"
memo | cmp -s - before || fail "kept again"

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

finish

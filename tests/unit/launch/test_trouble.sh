#!/bin/sh
# The launcher in real compiles: damage, bad places, races and kills. usage: test_trouble.sh LAUNCHER COMPILER
. "$(dirname "$0")/launcher.sh"

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

# A group with kernels of these files in it: NAME..., percent-encoded.
group_of() {
    n=0
    printf '// PyKokkosCache group 1\n// Kernels.\n'
    for name in "$@"; do
        n=$((n + 1))
        printf '// PyKokkosCache kernel 1\nextern "C" int part%d() { return %d; }\n' $n $n > part
        printf '//: part %s 0 %d 0\n' "$name" "$(wc -c < part)"
        cat part
    done
}
has_parts() { nm k/s.o | grep -q ' T part1$' && nm k/s.o | grep -q ' T part2$'; }

begin "a group whose parts' names end early" nul
for name in 'm/b.kernel.cpp%00' 'm/b%00c.kernel.cpp' '%00.kernel.cpp'; do
    group_of m/a.kernel.cpp "$name" > k/s.kernel.cpp
    compile || fail "$name: exit status"
    expect 1 "$name: it is one TU"
    has_parts || fail "$name: the object"
    [ ! -e k/s.o.parts/m ] || fail "$name: $(find k/s.o.parts)"
done
group_of m/a.kernel.cpp m/b.kernel.cpp > k/s.kernel.cpp
compile || fail "exit status"
has_parts || fail "the object"
[ -e k/s.o.parts/m/b.kernel.cpp.o ] || fail "was not taken apart"
# Of what the list of parts names no more, files are removed: only those that are a part's.
echo precious > k/s.o.parts/precious.txt
printf 'precious.txt%%00.kernel.cpp\n\n' >> k/s.o.parts/list
group_of m/a.kernel.cpp > k/s.kernel.cpp
compile || fail "exit status"
[ ! -e k/s.o.parts/m/b.kernel.cpp.o ] || fail "the list was not read"
[ -s k/s.o.parts/precious.txt ] || fail "a file was removed that is no part"

finish

#!/bin/sh
# The launcher in real compiles: another compiler is noticed. usage: test_compilers.sh LAUNCHER COMPILER
. "$(dirname "$0")/launcher.sh"

begin "another compiler" compiler
printf '#!/bin/sh\nexec "%s" "$@"\n' "$compiler" > "$dir/g++"
chmod +x "$dir/g++"
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

begin "parts in a folder relative to where it runs" relative_parts
if [ "$("$compiler" -print-prog-name=as)" = as ]; then
    as=$(command -v as)
    mkdir -p "$dir/parts" "$dir/deeper/build/k"
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$as" > "$dir/parts/as"
    chmod +x "$dir/parts/as"
    export COMPILER_PATH=../parts
    compile; expect 1 "first"
    compile; expect 0 "again"
    echo '# changed' >> "$dir/parts/as"
    compile; expect 1 "its assembler changed"
    compile; expect 0 "again"
    cd "$dir/deeper/build" || exit 1
    compile; expect 1 "a working folder from which there is no such part"
    compile; expect 0 "again"
    cd "$dir/build" || exit 1
    compile; expect 0 "the first working folder again"
    rm "$dir/parts/as"
    compile; expect 0 "gone: the one of the other working folder"
    unset COMPILER_PATH
fi

finish

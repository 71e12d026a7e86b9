#!/usr/bin/env python3
"""Writes unicode_tables.h: what unicode.c needs of the Unicode character database.

usage: unicode_tables.py > unicode_tables.h    (any CPython 3; the database is its own)

Only characters that may stand in a Python name are in the tables.
"""
import sys
import unicodedata

HANGUL = range(0xAC00, 0xD7A4)


def is_part(code):
    return not 0xD800 <= code < 0xE000 and ("a" + chr(code)).isidentifier()


def is_start(code):
    return not 0xD800 <= code < 0xE000 and chr(code).isidentifier()


def ranges(test):
    found, first = [], None
    for code in range(0x80, 0x110001):
        inside = code < 0x110000 and test(code)
        if inside and first is None:
            first = code
        elif not inside and first is not None:
            found += [first, code - 1]
            first = None
    return found


def rows(name, kind, numbers):
    print(f"static const {kind} {name}[] = {{")
    line = "   "
    for number in numbers:
        item = f" {number:#x}," if number > 9 else f" {number},"
        if len(line) + len(item) > 98:
            print(line)
            line = "   "
        line += item
    print(line)
    print("};\n")


def main():
    names = [code for code in range(0x80, 0x110000) if is_part(code)]
    print("/* Made by unicode_tables.py from Unicode "
          f"{unicodedata.unidata_version}. Not edited by hand. */")
    print("/* clang-format off */\n")
    print("/* First and last code points of the ranges that may begin a name. */")
    rows("name_start_ranges", "uint32_t", ranges(is_start))
    print("/* Those that may stand in one. */")
    rows("name_part_ranges", "uint32_t", ranges(is_part))

    decomposed, sequences = [], []
    for code in names:
        text = unicodedata.normalize("NFKD", chr(code))
        if code not in HANGUL and text != chr(code):
            decomposed.append((code, len(sequences), len(text)))
            sequences += [ord(c) for c in text]
    print("/* Compatibility decompositions: a code point, and where its sequence is (index * 32 +\n"
          " * length). */")
    rows("decomposed_codes", "uint32_t", [code for code, _, _ in decomposed])
    rows("decomposed_places", "uint32_t", [at * 32 + length for _, at, length in decomposed])
    rows("decomposed_sequences", "uint32_t", sequences)

    print("/* Canonical combining classes that are not 0: code point * 256 + class. */")
    rows("combining_classes", "uint32_t",
         [code * 256 + unicodedata.combining(chr(code)) for code in names
          if unicodedata.combining(chr(code))])

    pairs = []
    for code in range(0x80, 0x110000):
        if code in HANGUL or 0xD800 <= code < 0xE000:
            continue
        mapping = unicodedata.decomposition(chr(code)).split()
        if len(mapping) == 2 and not mapping[0].startswith("<"):
            first, second = (int(part, 16) for part in mapping)
            if unicodedata.normalize("NFC", chr(first) + chr(second)) == chr(code):
                pairs.append((first, second, code))
    pairs.sort()
    print("/* Canonical compositions, sorted: first, second, and what they make. */")
    rows("compositions", "uint32_t", [number for pair in pairs for number in pair])


if __name__ == "__main__":
    sys.exit(main())

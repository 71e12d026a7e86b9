"""PyKokkos' own translator on a file: translate.py CHECKOUT FILE.py OUT WORKUNIT...

Writes OUT/<workunit>/{functor.hpp,functor_cast.hpp,bindings.cpp}, the files that PyKokkos compiles.
kokkos-python, which only running them needs, is stood in for.
"""

import os
import sys
from unittest.mock import MagicMock

checkout, path, out = sys.argv[1:4]
sys.path.insert(0, checkout)
sys.modules["kokkos"] = MagicMock()

from pykokkos.core.parsers import Parser  # noqa: E402
from pykokkos.core.translators import PyKokkosMembers, StaticTranslator  # noqa: E402

FILES = "functor.hpp", "bindings.cpp", "functor_cast.hpp"
for name in sys.argv[4:]:
    parser = Parser(path)  # the translator changes its tree
    entity, types = parser.get_entity(name), parser.get_classtypes()
    members = PyKokkosMembers()
    members.extract(entity, types)
    texts = StaticTranslator(name, FILES[0], FILES[2], members).translate(entity, types, set())
    folder = os.path.join(out, name)
    os.makedirs(folder, exist_ok=True)
    for file, lines in zip(FILES, texts):
        with open(os.path.join(folder, file), "w") as made:
            made.write("\n".join(lines))

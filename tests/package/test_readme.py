"""Runs the README: writes the files that it shows and runs its commands, in order.

A fenced block is a file where its first line names one, and commands where it says sh. The commands
before the first file run in this project's folder (its build), the others in a scratch folder.
"""

import os
import re
import shutil
import sys
import tempfile

WORK = os.environ["PKC_TEST_WORK"]
README = os.path.abspath(sys.argv[1])
ROOT = os.path.dirname(README)


def blocks():
    with open(README) as file:
        text = file.read()
    for language, name, body in re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```$", text, re.M | re.S):
        yield language, name, body


def main():
    os.makedirs(WORK, exist_ok=True)
    scratch = tempfile.mkdtemp(dir=WORK)
    tools = os.path.join(scratch, "tools")
    os.mkdir(tools)
    # python3 is the one that the tests use.
    os.symlink(sys.executable, os.path.join(tools, "python3"))
    project = os.path.join(scratch, "project")
    os.mkdir(project)
    # The project's own build goes to the scratch folder, too.
    source = os.path.join(scratch, "source")
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(".git", "build", "build-*"), symlinks=True)
    env = dict(os.environ, PREFIX=os.path.join(scratch, "prefix"),
               PYKOKKOS_CACHE_DIR=os.path.join(scratch, "store"), PYKOKKOS_CACHE_PYTHON=sys.executable,
               PATH=tools + os.pathsep + os.environ["PATH"])
    if os.environ.get("PKC_TEST_GRAMMAR"):
        env["TREE_SITTER_PYTHON_SOURCE_DIR"] = os.environ["PKC_TEST_GRAMMAR"]
    folder = source
    commands = 0
    output = ""
    from subprocess import PIPE, STDOUT, run
    for language, name, body in blocks():
        if name:
            folder = project
            with open(os.path.join(project, name), "w") as file:
                file.write(body)
        elif language == "sh":
            done = run(["sh", "-exc", body], cwd=folder, env=env, stdout=PIPE, stderr=STDOUT, text=True,
                       timeout=800)
            print(done.stdout)
            assert done.returncode == 0, "a command of the README failed"
            output += done.stdout
            commands += len(body.strip().splitlines())
    assert commands >= 10, "the README's commands were not found"
    assert "\n4000\n" in output, "build/app prints dot(2, 2) of 1000"
    assert re.search(r"^kernels\.scale: .*body", output, re.M), "why names the changed workunit"
    assert "\n505.0\n" in output, "the edited scale, k + x[i], in the Python module"
    shutil.rmtree(scratch)


main()

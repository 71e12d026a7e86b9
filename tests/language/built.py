"""A Python file's workunits as a module: built by the command, and imported."""

import importlib.util
import os
import subprocess
import sys


def build(options, name, text, *arguments):
    """`options`: the command, and the folder to work in. `arguments`: more of `build`."""
    path = os.path.join(options.work, name + ".py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    command = [options.command, "build", "--python", "-o", os.path.join(options.work, "built"), *arguments]
    done = subprocess.run(command + [path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"build: exit code {done.returncode}\n{done.stdout[-4000:]}")
    spec = importlib.util.spec_from_file_location(name, done.stdout.strip().split("\n")[-1])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

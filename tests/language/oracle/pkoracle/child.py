"""Imports a compiled module and runs the calls that stdin holds; one record a call on stdout."""
import importlib.util
import os
import pickle
import sys


def load(path):
    name = os.path.basename(path).split(".")[0]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def policy_of(module, call):
    bounds = call["policy"]
    if call.get("team"):
        return module.TeamPolicy(bounds[0][1], 1)
    if len(bounds) == 1:
        return bounds[0]
    return tuple(bounds)


def run(module, call):
    keywords = dict(call["arguments"])
    fields = {n: keywords.pop(n) for n in call.get("fields", ())}
    if call.get("reducer", "Sum") != "Sum":
        keywords["reducer"] = call["reducer"]
    try:
        owner = getattr(module, call["owner"])(**fields) if call.get("owner") else module
        result = getattr(owner, call["name"])(policy_of(module, call), **keywords)
    except Exception as e:  # whatever it is, it is the outcome of this call
        return ("error", "%s: %s" % (type(e).__name__, e))
    if isinstance(result, tuple):
        # What a reducer with locations found; its type is the module's own.
        names = [n for n in type(result).__dict__ if n.endswith(("val", "loc"))]
        result = {n: getattr(result, n) for n in names}
    return ("ok", result, call["arguments"])


def main():
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what kernels print must not mix with the records
    calls = pickle.loads(sys.stdin.buffer.read())
    module = load(sys.argv[1])
    for call in calls:
        record = pickle.dumps(run(module, call))
        out.write(len(record).to_bytes(8, "little") + record)
        out.flush()


main()

"""What a disk may hold after the power fails. The shim has noted each write, each name that came or
went, and each sync, up to the moment when the process was killed; whatever was not synced since may
be lost, and each thing by itself: the disk promises no order.

- A name that came, changed or went in a folder that was not synced since: as it was before.
- Bytes that were not synced since: none (a file of length 0 under its new name), as many as there
  should be but all zero, half of them, or in a file that was there before, some pages old, some new.

What the compiler and others wrote, of which nothing was noted, counts as never synced."""

import os

WAYS = ["no bytes", "zeros", "no names", "some of all", "some of all, again"]
# The calls at which something new is on its way to the disk.
LETTERS = "wtsnldu"
PAGE = 4096


class File:
    def __init__(self, path):
        st = os.stat(path)
        self.id = (st.st_dev, st.st_ino)
        with open(path, "rb") as f:
            self.data = f.read()


def look(place):
    """All files with their bytes, and all folders: what is safely on the disk."""
    files = {}
    folders = {}
    for folder, _, names in os.walk(place):
        st = os.stat(folder)
        folders[os.path.relpath(folder, place)] = (st.st_dev, st.st_ino)
        for name in names:
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                files[os.path.relpath(path, place)] = File(path)
    return files, folders


class Events:
    def __init__(self, path):
        self.bytes_at = {}
        self.names_at = {}
        self.synced_at = {}
        lines = []
        if os.path.exists(path):
            with open(path, encoding="utf-8", errors="surrogateescape") as f:
                lines = f.read().splitlines()
        for at, line in enumerate(lines):
            kind, device, inode, *name = line.split(" ", 3)
            which = (int(device), int(inode))
            if kind == "w":
                self.bytes_at[which] = at
            elif kind == "s":
                self.synced_at[which] = at
            else:
                self.names_at[which, name[0]] = at

    def bytes_are_safe(self, which):
        return self.synced_at.get(which, -1) > self.bytes_at.get(which, -1)

    def name_is_safe(self, folder, name):
        return self.synced_at.get(folder, -1) > self.names_at.get((folder, name), -1)


def torn(old, new, rng):
    """Pages of both, and the length of either."""
    length = rng.choice([len(old), len(new)])
    out = bytearray()
    for at in range(0, length, PAGE):
        page = rng.choice([old, new])[at:at + PAGE]
        out += page + b"\0" * (min(PAGE, length - at) - len(page))
    return bytes(out)


def left_of(new, old, way, rng):
    """What is left of bytes that were never synced; `old`: what the same file held before."""
    if way == "no bytes":
        return old if old is not None else b""
    if way == "zeros":
        return b"\0" * len(new)
    kind = rng.randrange(5)
    if kind == 0:
        return b""
    if kind == 1:
        return b"\0" * len(new)
    if kind == 2:
        return new[:len(new) // 2]
    if kind == 3:
        return new
    return torn(old if old is not None else b"", new, rng)


def put(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def is_lost(way, rng):
    """Is a name that was not synced lost?"""
    return way == "no names" or (way.startswith("some") and rng.random() < 0.4)


def fail(place, before, events_path, way, rng):
    """Leaves in `place` what may be left of it. `before`: look() at what was safe. The names of what
    was lost, for messages."""
    if way == "some of all, again":
        rng.seed(rng.random())
    files, folders = before
    now, now_folders = look(place)
    events = Events(events_path)
    lost = []
    # New folders: with their names all that is in them goes.
    gone = []
    for path in sorted(now_folders):
        parent, name = os.path.split(path)
        if path not in folders and path != "." and not any(
                path.startswith(g + "/") for g in gone):
            if not events.name_is_safe(now_folders[parent or "."], name) and is_lost(way, rng):
                gone.append(path)
                lost.append(path + "/")
    for path, file in sorted(now.items()):
        full = os.path.join(place, path)
        was = files.get(path)
        same_file = was is not None and was.id == file.id
        if same_file and was.data == file.data:
            continue
        folder = now_folders[os.path.dirname(path) or "."]
        name_lost = any(path.startswith(g + "/") for g in gone) or (
            not same_file and not events.name_is_safe(folder, os.path.basename(path)) and
            is_lost(way, rng))
        if name_lost:
            os.unlink(full)
            if was is not None:
                put(full, was.data)
            lost.append(f"name {path}")
        elif not events.bytes_are_safe(file.id):
            if same_file and way == "no names":
                left = was.data
            else:
                left = left_of(file.data, was.data if same_file else None, way, rng)
            if left != file.data:
                put(full, left)
                lost.append(f"{path} ({len(left)} of {len(file.data)} bytes)")
    for path, file in sorted(files.items()):
        folder = now_folders.get(os.path.dirname(path) or ".")
        if path not in now and not (folder is not None and events.name_is_safe(
                folder, os.path.basename(path))) and is_lost(way, rng):
            put(os.path.join(place, path), file.data)
            lost.append(f"the end of {path}")
    for path in reversed(gone):
        for folder, _, _ in os.walk(os.path.join(place, path), topdown=False):
            if not os.listdir(folder):
                os.rmdir(folder)
    return ", ".join(lost[:6]) or "nothing"

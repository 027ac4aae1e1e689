#!/usr/bin/env python3
"""Stands before the compiler in the build of a changed copy of the sources, and
takes an object from the build of the original where it would be the same: by the
same command, from files of the same content.

usage: reuse_objects.py TABLE COMPILER ARGUMENTS...

TABLE is what write_table() wrote. The original build is only read.
"""
import json
import os
import shlex
import shutil
import subprocess
import sys


def write_table(path, places):
    """`places`: [folder of the copy, folder of the original] of builds, then of
    sources. Only what ninja says of an object counts; without it all is compiled."""
    build = places[0][1]
    with open(os.path.join(build, "compile_commands.json")) as handle:
        entries = json.load(handle)
    said = subprocess.run(["ninja", "-t", "deps"], cwd=build, text=True, capture_output=True).stdout
    files, current = {}, []
    for line in said.splitlines():
        if line.startswith("    "):
            file = os.path.join(build, line.strip())
            if file.startswith(tuple(original + os.sep for _, original in places)):
                current.append(file)
        elif ": #deps" in line:
            current = files.setdefault(line.split(": #deps")[0], [])
    commands = {}
    for entry in entries:
        arguments = shlex.split(entry["command"])
        commands[arguments[arguments.index("-o") + 1]] = arguments[1:]
    with open(path, "w") as out:
        json.dump({"places": places, "commands": commands, "files": files}, out)


def to_original(text, places):
    for copy, original in places:
        text = text.replace(copy, original)
    return text


def to_copy(path, places):
    for copy, original in places:
        if path.startswith(original + os.sep):
            return copy + path[len(original):]
    return path


def split_dependencies(arguments):
    """Without what asks for a list of headers; and the file that it goes to."""
    kept, listed, rest = [], None, iter(arguments)
    for argument in rest:
        if argument in ("-MT", "-MF"):
            value = next(rest)
            listed = value if argument == "-MF" else listed
        elif argument != "-MD":
            kept.append(argument)
    return kept, listed


def is_same(original, copy, places):
    if not os.path.exists(original) or not os.path.exists(copy):
        return False
    with open(original, "rb") as first, open(copy, "rb") as second:
        content = second.read()
        for ours, theirs in places:
            content = content.replace(ours.encode(), theirs.encode())
        return first.read() == content


def find_object(table, arguments):
    """The original's object for this command, or None; and what it was made from."""
    places = table["places"]
    if "-o" not in arguments:
        return None, []
    name = arguments[arguments.index("-o") + 1]
    made, files = os.path.join(places[0][1], name), table["files"].get(name)
    command = table["commands"].get(name)
    if not files or not os.path.exists(made):
        return None, []
    # CMake lists no command for the precompiled header, which is compiled as the
    # objects are.
    if command is not None and [to_original(a, places) for a in arguments] != command:
        return None, []
    age = os.path.getmtime(made)
    for file in files:
        if not is_same(file, to_copy(file, places), places) or os.path.getmtime(file) > age:
            return None, []
    return made, [to_copy(file, places) for file in files]


def main():
    with open(sys.argv[1]) as handle:
        table = json.load(handle)
    arguments, listed = split_dependencies(sys.argv[3:])
    made, files = find_object(table, arguments)
    with open(sys.argv[1] + ".log", "a") as log:
        log.write("compiled\n" if made is None else "taken\n")
    if made is None:
        sys.exit(subprocess.run(sys.argv[2:]).returncode)
    name = arguments[arguments.index("-o") + 1]
    # A copy: writing to a link would change the original.
    shutil.copyfile(made, name)
    if listed:
        with open(listed, "w") as out:
            out.write(f"{name}: " + " \\\n  ".join(files) + "\n")


if __name__ == "__main__":
    main()

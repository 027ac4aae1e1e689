#!/usr/bin/env python3
"""Makes the Debian packages of a build (`cpack -G DEB`, which compiles nothing),
looks into them, unpacks them into one folder and builds programs against that.

usage: packages.py --build DIR [--scratch DIR] [--all]

--all: all of consumers.py against the packages, instead of the runtime's programs.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

import consumers
from consumers import ROOT, run, setting

# What the runtime may take on the disk, unpacked.
RUNTIME_BYTES = 3 << 20
DOCS = "share/doc/tripy/"
TOOLS = ["tripy-compile", "tripy-lsp-server", "tripy-opt", "tripy-reduce", "tripy-run"]
# Of each package: the section, the packages that it needs (those of Tripy in the
# same version, of others any), and what matches each of its files below /usr;
# LIB stands for the folder of libraries. Each pattern matches a file.
PACKAGES = {
    "tripy-runtime": ("libs", ["libc6"], [r"LIB/libtripy_runtime\.so\.0", r"LIB/libtripy_runtime\.so\.0\.\d+",
                                          DOCS + "LICENSE"]),
    "tripy-runtime-dev": ("libdevel", ["tripy-runtime", "zlib1g-dev"], [
        r"LIB/libtripy_runtime\.so", r"LIB/libtripy_runtime\.a", "include/tripy/runtime.h",
        "include/tripy/plugin.h",
        r"LIB/pkgconfig/tripy-runtime\.pc", r"LIB/cmake/Tripy/TripyConfig(Version)?\.cmake",
        r"LIB/cmake/Tripy/TripyRuntimeTargets(-\w+)?\.cmake"]),
    "tripy-tools": ("devel", ["tripy-runtime", "libc6", "libgcc-s1", "libllvm22", "libmlir-22", "libstdc++6"], [
        *(f"bin/{tool}" for tool in TOOLS), r"LIB/libTripy\.so\.\d+\.\d+(\.\d+)?", r"LIB/TripyPlugin\.so",
        r"LIB/libTripyCudaWrappers\.so", DOCS + r"(README|CONTRIBUTING)\.md", DOCS + r"docs/[\w/-]+\.md",
        DOCS + r"bench/results/(h200\.(svg|json)|[\w-]+\.md)"]),
    "tripy-frontend": ("libs", ["tripy-tools", "libc6", "libgcc-s1", "libstdc++6"], [
        r"LIB/libtripy_frontend\.so\.\d+\.\d+(\.\d+)?"]),
    "tripy-frontend-dev": ("libdevel", ["tripy-frontend", "tripy-runtime-dev"], [
        r"LIB/libtripy_frontend\.so", r"LIB/cmake/Tripy/TripyFrontendTargets(-\w+)?\.cmake", "include/tripy/tripy.h",
        r"include/tripy/Base/(DType|Status)\.h", r"include/tripy/Frontend/\w+\.h",
        r"include/tripy/Frontend/(Functions\.h|TensorMembers)\.inc"]),
    "tripy-dev": ("libdevel", ["tripy-frontend-dev", "tripy-runtime-dev", "tripy-tools", "libmlir-22-dev", "llvm-22-dev"], [
        r"LIB/libTripy\.so", r"LIB/cmake/Tripy/TripyCompilerTargets(-\w+)?\.cmake",
        r"include/tripy/(?!runtime\.h|plugin\.h|tripy\.h|Frontend/|Base/(DType|Status)\.h)[\w/]+\.h", r"include/tripy/[\w/]+\.td",
        r"include/tripy/(?!Frontend/)[\w/.]+\.inc"]),
}
# What a sanitized build needs besides.
SANITIZER = "libclang-rt-22-dev"


def fail(text):
    sys.exit(f"packages: {text}")


def fields(package):
    return dict(re.findall(r"^(\S+): (.*)$", run("dpkg-deb", "--field", package), re.M))


def check_fields(name, package, section, needs, version, options):
    found = fields(package)
    architecture = run("dpkg", "--print-architecture").strip()
    for key, wanted in (("Package", name), ("Version", version), ("Architecture", architecture), ("Section", section)):
        if found.get(key) != wanted:
            fail(f"{name}: {key} is '{found.get(key)}', not '{wanted}'")
    depends = dict(re.match(r"(\S+)(?: \((.*)\))?$", part).groups() for part in found["Depends"].split(", "))
    if name == "tripy-tools" and setting(options.build, "TRIPY_SANITIZE_COMPILER"):
        needs = [*needs, SANITIZER]
    if sorted(depends) != sorted(needs):
        fail(f"{name} depends on {sorted(depends)}, not on {sorted(needs)}")
    for other in PACKAGES:
        if other in depends and depends[other] != f"= {version}":
            fail(f"{name} depends on {other} ({depends[other]})")


def files_of(folder):
    return sorted(os.path.relpath(os.path.join(where, name), folder)
                  for where, _, names in os.walk(folder) for name in names)


def check_files(name, folder, patterns, lib, options):
    """Each file matches a pattern, each pattern a file."""
    patterns = [pattern.replace("LIB", lib) for pattern in patterns]
    files, used = files_of(folder), set()
    for path in files:
        matching = [p for p in patterns if path.startswith("usr/") and re.fullmatch(p, path[len("usr/"):])]
        used.update(matching)
        if not matching:
            fail(f"{name} has the file {path}")
        check_content(name, os.path.join(folder, path), options)
    for pattern in patterns:
        if pattern not in used:
            fail(f"{name} lacks {pattern}")
    return files


def check_content(name, path, options):
    """No path of this machine in text; no symbols in binaries; links lead to files beside them."""
    if os.path.islink(path):
        if "/" in os.readlink(path):
            fail(f"{name}: {path} leads to {os.readlink(path)}")
        return
    if path.endswith((".cmake", ".pc")):
        with open(path) as handle:
            # A hint where Debian has MLIR, for whoever does not say.
            text = handle.read().replace("HINTS /usr/lib/llvm-22", "")
        for machine in (ROOT, options.build, "/usr/lib/llvm", "/home", "/tmp"):
            if re.search(rf'(^|[\s";=:]){re.escape(machine)}', text, re.M):
                fail(f"{name}: {os.path.basename(path)} names {machine}")
    with open(path, "rb") as handle:
        binary = handle.read(4) == b"\x7fELF"
    if binary and ".symtab" in run("readelf", "--sections", "--wide", path):
        fail(f"{name}: {os.path.basename(path)} is not stripped")


def check_runtime(folder, lib):
    """The runtime needs the C library alone, has its soname, and is small."""
    library = os.path.join(folder, "usr", lib, "libtripy_runtime.so.0")
    dynamic = run("readelf", "-d", library)
    needed = re.findall(r"NEEDED.*\[(.*)\]", dynamic)
    if any(not re.match(r"(libc|libm|libdl|libpthread|ld-linux-x86-64)\.so", name) for name in needed):
        fail(f"libtripy_runtime.so needs {needed}")
    if "soname: [libtripy_runtime.so.0]" not in dynamic:
        fail(f"libtripy_runtime.so has another soname: {dynamic}")
    size = sum(os.lstat(os.path.join(folder, path)).st_size for path in files_of(folder))
    if size > RUNTIME_BYTES:
        fail(f"tripy-runtime takes {size} bytes, more than {RUNTIME_BYTES}")


def make(options, scratch):
    """Name to path of each package that the build makes."""
    made = os.path.join(scratch, "packages")
    run("cpack", "-G", "DEB", "-B", made, cwd=options.build)
    shutil.rmtree(os.path.join(made, "_CPack_Packages"))
    found = {name.split("_")[0]: os.path.join(made, name) for name in os.listdir(made)}
    if sorted(found) != sorted(PACKAGES):
        fail(f"cpack makes {sorted(found)}, not {sorted(PACKAGES)}")
    return found


def check(options, scratch):
    made, owner = make(options, scratch), {}
    version = setting(options.build, "CMAKE_PROJECT_VERSION")
    lib = setting(options.build, "CMAKE_INSTALL_LIBDIR")
    for name, (section, needs, patterns) in PACKAGES.items():
        folder = os.path.join(scratch, "unpacked", name)
        os.makedirs(folder)
        run("dpkg-deb", "-x", made[name], folder)
        check_fields(name, made[name], section, needs, version, options)
        for path in check_files(name, folder, patterns, lib, options):
            if path in owner:
                fail(f"{path} is in {owner[path]} and in {name}")
            owner[path] = name
        size = sum(os.lstat(os.path.join(folder, path)).st_size for path in files_of(folder))
        print(f"ok: {name}: {os.path.getsize(made[name])} bytes, unpacked {size}", flush=True)
    check_runtime(os.path.join(scratch, "unpacked", "tripy-runtime"), lib)
    root = os.path.join(scratch, "root")
    for package in made.values():
        run("dpkg-deb", "-x", package, root)
    return os.path.join(root, "usr")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--scratch")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    for tool in ("dpkg-deb", "dpkg-shlibdeps", "fakeroot", "file"):
        if not shutil.which(tool):
            print(f"there is no {tool}, which makes Debian packages")
            sys.exit(77)
    if setting(options.build, "TRIPY_LINK_LLVM") != "shared":
        print("the lists of files are those of a build with LLVM linked shared")
        sys.exit(77)
    scratch = os.path.abspath(options.scratch or os.path.join(options.build, "packages"))
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    prefix = check(options, scratch)
    if options.all:
        consumers.check_prefix(prefix, scratch, options)
    else:
        executable = consumers.check_c(prefix, scratch, options)
        consumers.check_cpp(prefix, scratch, options, executable)
        consumers.check_frontend(prefix, scratch, options)
        consumers.check_stock_mlir(prefix, scratch, options)
        consumers.check_errors(prefix, scratch, options)


if __name__ == "__main__":
    main()

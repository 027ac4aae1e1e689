#!/usr/bin/env python3
"""Installs Tripy and builds what others would build on it, which names no folder
of the sources.

usage: consumers.py --build DIR [--scratch DIR] [--subproject]

--subproject: Tripy's sources as a part of another project instead, whose runtime
is built.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# What the runtime's package may take, and configuring with the dialects.
RUNTIME_BYTES, CONFIGURE_SECONDS = 3 << 20, 5


def run(*command, **options):
    print("+", " ".join(command), flush=True)
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\nexit status {done.returncode}")
    return done.stdout


def expect(what, found, wanted):
    if wanted not in found:
        sys.exit(f"{what}: expected '{wanted}', found:\n{found}")
    print(f"ok: {what}", flush=True)


def setting(build, name):
    with open(os.path.join(build, "CMakeCache.txt")) as cache:
        return re.search(rf"^{name}:\w+=(.*)$", cache.read(), re.M).group(1)


def configure(source, build, options, *more):
    compilers = [f"-D{name}={setting(options.build, name)}" for name in ("CMAKE_C_COMPILER", "CMAKE_CXX_COMPILER")]
    return run("cmake", "-G", "Ninja", "-S", os.path.join(HERE, source), "-B", build, *compilers, *more)


def check_c(prefix, scratch, options):
    """The program of docs/runtime.md, by pkg-config, shared and static."""
    folder = os.path.join(scratch, "c")
    os.makedirs(folder)
    with open(os.path.join(ROOT, "docs/runtime.md")) as page, open(os.path.join(folder, "run.c"), "w") as out:
        out.write(re.search(r"```c\n(.*?)```", page.read(), re.S).group(1))
    example = os.path.join(ROOT, "python-free-examples/geglu.mlir")
    run(os.path.join(prefix, "bin/tripy-compile"), example, "-o", "geglu.tpx", "--target=cpu", cwd=folder)
    libraries = os.path.join(prefix, "lib")
    environment = dict(os.environ, PKG_CONFIG_PATH=os.path.join(libraries, "pkgconfig"), LD_LIBRARY_PATH=libraries)
    for kind in ("shared", "static"):
        flags = run("pkg-config", "--cflags", "--libs", *["--static"][:kind == "static"], "tripy-runtime",
                    env=environment).split()
        if kind == "static":
            flags = ["-l:libtripy_runtime.a" if flag == "-ltripy_runtime" else flag for flag in flags]
        program = os.path.join(folder, kind)
        run(setting(options.build, "CMAKE_C_COMPILER"), "-std=c11", "-Wall", "-Werror", "run.c", "-o", program, *flags,
            cwd=folder)
        expect(f"C, {kind}", run(program, cwd=folder, env=environment), "6.000000")
        dynamic = run("readelf", "-d", program)
        if ("libtripy_runtime" in dynamic) != (kind == "shared"):
            sys.exit(f"C, {kind}: {dynamic}")
    return os.path.join(folder, "geglu.tpx")


def check_cpp(prefix, scratch, options, executable):
    build = os.path.join(scratch, "runtime")
    configure("runtime", build, options, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", build)
    for kind in ("Runtime", "RuntimeStatic"):
        expect(f"C++, {kind}", run(f"{build}/run-{kind}", executable), "x has 2 dimensions")


def check_dialect(prefix, scratch, options):
    build = os.path.join(scratch, "dialect")
    start = time.process_time() + sum(os.times()[2:4])
    configure("dialect", build, options, f"-DCMAKE_PREFIX_PATH={prefix}")
    seconds = time.process_time() + sum(os.times()[2:4]) - start
    if seconds > CONFIGURE_SECONDS:
        print(f"note: configuring took {seconds:.1f} s of processor time, more than {CONFIGURE_SECONDS}")
    run("cmake", "--build", build)
    program = os.path.join(HERE, "dialect/square.mlir")
    text = run(f"{build}/above-opt", program, "--above-to-trace", "--trace-to-flatir")
    expect("a tool with Tripy's passes", text, "flatir.mul")
    plugin = f"{build}/libAbovePlugin.so"
    text = run(os.path.join(prefix, "bin/tripy-opt"), f"--load-dialect-plugin={plugin}",
               f"--load-pass-plugin={plugin}", program, "--pass-pipeline=builtin.module(above-to-trace,trace-to-flatir)")
    expect("a plugin for tripy-opt", text, "flatir.mul")
    run(f"{build}/above-compile", program, f"{build}/square.tpx")
    printed = run(os.path.join(prefix, "bin/tripy-run"), f"{build}/square.tpx", "--input", "3xf32=1,2,3")
    expect("a compiler of one's own", printed, "tensor([1.0000, 4.0000, 9.0000]")


def check_errors(prefix, scratch, options):
    """What is not there is named, with the package that has it."""
    folder = os.path.join(scratch, "errors")
    os.makedirs(folder)
    config = os.path.join(prefix, "lib/cmake/Tripy")
    for component, missing, text in (
            ("Frontend", None, "has the components Runtime, Dialects and Compiler; found 'Frontend'"),
            ("Dialects", "TripyCompilerTargets.cmake", "not installed: it is in the package tripy-dev"),
            ("Runtime", "TripyRuntimeTargets.cmake", "not installed: it is in the package tripy-runtime-dev")):
        copy = os.path.join(folder, component)
        shutil.copytree(config, os.path.join(copy, "lib/cmake/Tripy"))
        if missing:
            os.remove(os.path.join(copy, "lib/cmake/Tripy", missing))
        with open(os.path.join(copy, "CMakeLists.txt"), "w") as out:
            out.write("cmake_minimum_required(VERSION 3.20)\nproject(Errs LANGUAGES C)\n"
                      f"find_package(Tripy 0.1 REQUIRED COMPONENTS {component})\n")
        done = subprocess.run(["cmake", "-G", "Ninja", "-S", copy, "-B", f"{copy}/build", f"-DCMAKE_PREFIX_PATH={copy}"],
                              text=True, capture_output=True)
        expect(f"missing {component}", " ".join(done.stderr.split()), text)


def check_installed(options, scratch):
    prefix = os.path.join(scratch, "prefix")
    run("cmake", "--install", options.build, "--prefix", prefix)
    runtime = os.path.join(scratch, "runtime-alone")
    run("cmake", "--install", options.build, "--prefix", runtime, "--component", "tripy-runtime")
    size = sum(os.lstat(os.path.join(folder, name)).st_size for folder, _, names in os.walk(runtime) for name in names)
    if size > RUNTIME_BYTES:
        sys.exit(f"tripy-runtime takes {size} bytes, more than {RUNTIME_BYTES}")
    print(f"ok: tripy-runtime takes {size} bytes")
    executable = check_c(prefix, scratch, options)
    check_cpp(prefix, scratch, options, executable)
    check_dialect(prefix, scratch, options)
    check_errors(prefix, scratch, options)


def check_subproject(options, scratch):
    build = os.path.join(scratch, "subproject")
    configure("subproject", build, options, f"-DTRIPY_SOURCE={ROOT}")
    run("cmake", "--build", build, "--target", "run")
    example = os.path.join(ROOT, "python-free-examples/geglu.mlir")
    run(os.path.join(options.build, "bin/tripy-compile"), example, "-o", f"{scratch}/geglu.tpx", "--target=cpu")
    expect("a part of another project", run(f"{build}/run", f"{scratch}/geglu.tpx"), "x has 2 dimensions")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--scratch")
    parser.add_argument("--subproject", action="store_true")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    scratch = os.path.abspath(options.scratch or os.path.join(options.build, "consumers"))
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    (check_subproject if options.subproject else check_installed)(options, scratch)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Installs Tripy and builds what others would build on it, which names no folder
of the sources.

usage: consumers.py --build DIR [--scratch DIR] [--subproject]

--subproject: Tripy's sources as a part of another project instead, whose runtime
is built.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# What configuring with the dialects may take.
CONFIGURE_SECONDS = 5


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
    libraries = os.path.join(prefix, setting(options.build, "CMAKE_INSTALL_LIBDIR"))
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


def check_frontend(prefix, scratch, options):
    """A program of users, by clang and by g++."""
    for compiler in (setting(options.build, "CMAKE_CXX_COMPILER"), shutil.which("g++-12") or shutil.which("g++")):
        build = os.path.join(scratch, "frontend-" + os.path.basename(compiler))
        configure("frontend", build, options, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={compiler}")
        run("cmake", "--build", build)
        text = run(f"{build}/first", env=dict(os.environ, TRIPY_DEVICE="cpu"))
        expect("a program of tripy.h", text, "tensor([1.5000, 2.5000, 3.5000, 4.5000, 5.5000], dtype=float32, loc=cpu:0")
        expect("its error", text, "first.cpp:16 in main()")
    # One of the examples, which share their project with Tripy's own build.
    build = os.path.join(scratch, "examples")
    configure(os.path.join(ROOT, "python-free-examples"), build, options, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", build, "--target", "geglu")
    expect("an example", run(f"{build}/geglu", env=dict(os.environ, TRIPY_DEVICE="cpu")), "[42.0000]")


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


def check_compiler(prefix, scratch, options):
    """The program of docs/compile-api.md."""
    build = os.path.join(scratch, "compiler")
    configure("compiler", build, options, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", build)
    program, broken = os.path.join(scratch, "add.mlir"), os.path.join(scratch, "broken.mlir")
    text = ("func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {\n"
            "  %sum = trace.add %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>\n"
            "  return %sum : tensor<3xf32>\n}\n")
    for path, content in ((program, text), (broken, text.replace("trace.add", "trace.ad"))):
        with open(path, "w") as out:
            out.write(content)
    run(f"{build}/compile", program, f"{build}/add.tpx", "cpu")
    printed = run(os.path.join(prefix, "bin/tripy-run"), f"{build}/add.tpx", "--input", "a=3xf32=1,2,3", "--input",
                  "b=3xf32=10,20,30")
    expect("the compile API", printed, "tensor([11.0000, 22.0000, 33.0000]")
    done = subprocess.run([f"{build}/compile", broken, f"{build}/broken.tpx"], text=True, capture_output=True)
    expect("an error of the compile API", done.stdout, "line 2, column 10\n")
    expect("its text", done.stdout, "did you mean 'trace.")
    if done.returncode != 1 or os.path.exists(f"{build}/broken.tpx"):
        sys.exit(f"a broken program: exit status {done.returncode}")


def check_stock_mlir(prefix, scratch, options):
    """The plugin in LLVM's mlir-opt, and the wrappers in its mlir-runner, on the emulator."""
    libraries = os.path.join(prefix, setting(options.build, "CMAKE_INSTALL_LIBDIR"))
    llvm = os.path.join(setting(options.build, "MLIR_DIR"), "../../../bin")
    program = os.path.join(ROOT, "python-free-examples/geglu.mlir")
    plugin = os.path.join(libraries, "TripyPlugin.so")
    text = run(f"{llvm}/mlir-opt", f"--load-dialect-plugin={plugin}", f"--load-pass-plugin={plugin}", program,
               "--pass-pipeline=builtin.module(tripy-cuda{chip=sm_90a})")
    expect("the plugin in mlir-opt", text, "gpu.func")
    inputs = os.path.join(ROOT, "test/Tools/mlir-runner")
    emulator = dict(os.environ, TRIPY_EMULATOR_ARCH="80",
                    LD_LIBRARY_PATH=os.path.join(options.build, "lib/cuda-emulator"))
    text = run(f"{inputs}/Inputs/run", prefix, llvm, f"{inputs}/cuda-cores.mlir", f"{inputs}/Inputs/host.mlir", "sm_80",
               env=emulator)
    expect("the wrappers in mlir-runner", text, "10,   14,   18,   22,")


def check_errors(prefix, scratch, options):
    """What is not there is named, with the package that has it."""
    libraries = setting(options.build, "CMAKE_INSTALL_LIBDIR")
    for component, missing, package in (
            ("Python", None, None),
            ("Frontend", "libtripy_frontend.so.*", "tripy-frontend"),
            ("Dialects", "cmake/Tripy/TripyCompilerTargets.cmake", "tripy-dev"),
            ("Compiler", "libTripy.so.*", "tripy-tools"),
            ("Runtime", "cmake/Tripy/TripyRuntimeTargets.cmake", "tripy-runtime-dev"),
            ("Runtime", "libtripy_runtime.so.*", "tripy-runtime")):
        copy = os.path.join(scratch, "errors")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(os.path.join(prefix, libraries), os.path.join(copy, libraries), symlinks=True)
        for path in glob.glob(os.path.join(copy, libraries, missing)) if missing else ():
            os.remove(path)
        with open(os.path.join(copy, "CMakeLists.txt"), "w") as out:
            out.write("cmake_minimum_required(VERSION 3.20)\nproject(Errs LANGUAGES C)\n"
                      f"find_package(Tripy 0.1 REQUIRED COMPONENTS {component})\n")
        done = subprocess.run(["cmake", "-G", "Ninja", "-S", copy, "-B", f"{copy}/build", f"-DCMAKE_PREFIX_PATH={copy}"],
                              text=True, capture_output=True)
        wanted = "has the components Runtime, Frontend, Dialects and Compiler; found 'Python'"
        if missing:
            name = re.escape(os.path.basename(missing)).replace(r"\*", r"[\d.]+")
            wanted = rf"the component '{component}' of Tripy is not installed: \S*/{name} is in the package {package}\b"
        # CMake breaks lines at blanks.
        if done.returncode == 0 or not re.search(wanted, " ".join(done.stderr.split())):
            sys.exit(f"missing {missing or component}: expected '{wanted}', found:\n{done.stderr}")
        print(f"ok: missing {missing or component}", flush=True)


def check_prefix(prefix, scratch, options):
    executable = check_c(prefix, scratch, options)
    check_cpp(prefix, scratch, options, executable)
    check_frontend(prefix, scratch, options)
    check_dialect(prefix, scratch, options)
    check_compiler(prefix, scratch, options)
    check_stock_mlir(prefix, scratch, options)
    check_errors(prefix, scratch, options)


def check_installed(options, scratch):
    prefix = os.path.join(scratch, "prefix")
    run("cmake", "--install", options.build, "--prefix", prefix)
    check_prefix(prefix, scratch, options)


def check_subproject(options, scratch):
    build = os.path.join(scratch, "subproject")
    configure("subproject", build, options, f"-DTRIPY_SOURCE={ROOT}", "-DCMAKE_CXX_FLAGS_RELEASE=-O0")
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

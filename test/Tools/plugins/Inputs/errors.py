"""What is wrong with a plugin is said, at the user's line, and nothing runs.

usage: errors.py BIN EMULATOR SCALE_PTX FOLDER
"""
import os
import subprocess
import sys

BIN, EMULATOR, SCALE, FOLDER = sys.argv[1:]
TEMPLATE = open(os.path.join(os.path.dirname(__file__), "template.mlir")).read()
PTX = '{} "{}" file = "{}" block = [256, 1, 1] arguments = ["operand 0", "result 0", "number 0 as i32", "parameter factor"]'
GOOD = PTX.format("ptx", "scale_f32", SCALE)
END = "results(%n) grid(%b, %one, %one) numbers(%n)"
LINE = "text.mlir:12"  # as the template has it


def run(*command):
    environment = dict(os.environ, LD_LIBRARY_PATH=EMULATOR)
    done = subprocess.run(command, capture_output=True, text=True, cwd=FOLDER, env=environment)
    return done.returncode, done.stdout + done.stderr


class Checks:
    count = failures = 0

    def expect(self, what, found, status, texts):
        Checks.count += 1
        missing = [text for text in texts if text not in found[1]]
        if found[0] != status or missing:
            Checks.failures += 1
            print(f"{what}: exit status {found[0]}, expected {status}; missing {missing} in\n{found[1]}")


def compile_text(text, target="cuda", *options):
    with open(os.path.join(FOLDER, "text.mlir"), "w") as file:
        file.write(text)
    return run(os.path.join(BIN, "tripy-compile"), "text.mlir", "-o", "text.tpx", f"--target={target}", *options)


def program(source=GOOD, sizes="", end=END):
    return TEMPLATE.replace("<SOURCE>", f"<{source}>").replace("  SIZES", "  " + sizes).replace("sizes END", "sizes " + end)


def main():
    check = Checks().expect

    # Refused when it is compiled.
    for what, text, target, said in [
        ("a missing file", program(PTX.format("ptx", "scale_f32", "none.ptx")), "cuda",
         ["a file of plugin '@k' cannot be read", "none.ptx", "text.mlir:2"]),
        ("no PTX", program(PTX.format("ptx", "scale_f32", "text.mlir")), "cuda",
         ["[tripy.plugin C12]", "found no '.entry' 'scale_f32' in the PTX"]),
        ("another entry", program(PTX.format("ptx", "scale_f3", SCALE)), "cuda", ["found no '.entry' 'scale_f3' in the PTX"]),
        ("no cubin", program(PTX.format("cubin", "scale_f32", SCALE)), "cuda", ["bytes without such a header"]),
        ("PTX that is refused",
         program('ptx "k" code = ".version 8.0\\0A.target sm_80\\0A.visible .entry k(.param .u64 x) { bogus; }" '
                 'block = [1, 1, 1] arguments = ["result 0"]'), "cuda",
         ["the assembler refuses the PTX of plugin '@k'", "bogus", "text.mlir:2"]),
        ("no source for the CPU", program(), "cpu",
         ["the plugin '@k' must have a source for the target 'cpu'", LINE]),
        ("no source for CUDA", program('c "k" library = "libk.so"', "", "results(%n)"), "cuda",
         ["the plugin '@k' must have a source for the target 'cuda:sm_90a'; c is for the CPU", LINE]),
        ("shared memory", program(end="results(%n) grid(%b, %one, %one) shared(%n) numbers(%n)"), "cuda",
         ["a block must use at most 232448 bytes of shared memory; it needs 1000000"]),
        ("a grid that never fits", program(sizes="%m = arith.constant -2 : index\n %g = arith.addi %m, %one : index",
                                           end="results(%n) grid(%g, %one, %one) numbers(%n)"), "cuda",
         ["[tripy.plugin C11]"]),
        ("two codes with one name",
         program().replace("trace.plugin @k(%x)", "trace.plugin @k(%z)").replace(
             "  %y =", "  %z = trace.plugin @l(%x) : (tensor<?xf32>) -> tensor<?xf32>\n  %y =") +
         'tripy.plugin @l : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "other" code = '
         '".version 8.0\\0A.target sm_80\\0A.visible .entry other(.param .u64 x, .param .u64 r) { ret; }\\0A'
         '.visible .entry scale_f32(.param .u64 x) { ret; }" block = [1, 1, 1]>] {\n^bb0(%n: index):\n'
         '  %one = arith.constant 1 : index\n  tripy.plugin_sizes results(%n) grid(%one, %one, %one)\n}\n', "cuda",
         ["codes of plugins in one program must not have kernels of one name; found 'scale_f32'"]),
        ("an argument of a gpu.func",
         program('mlir "k" module = @m block = [1, 1, 1]') +
         "gpu.module @m {\n  gpu.func @k(%x: memref<?xf32>, %r: memref<?xf16>, %n: i64, %f: f32) kernel {\n    gpu.return\n  }\n}\n",
         "cuda", ["argument 1 of the kernel \"k\", 'result 0', must be of type !llvm.ptr or a memref as dense as "
                  "tensor<?xf32>; found 'memref<?xf16>'"]),
        ("too few arguments of a gpu.func",
         program('mlir "k" module = @m block = [1, 1, 1]') +
         "gpu.module @m {\n  gpu.func @k(%x: memref<?xf32>) kernel {\n    gpu.return\n  }\n}\n", "cuda",
         ["must take the 4 arguments that the plugin passes; it takes 1"]),
    ]:
        check(what, compile_text(text, target), 1, said)

    # Refused when it runs, for the sizes that break a rule.
    for what, sizes, end, bad, said, good in [
        ("a large grid", "%m = arith.muli %n, %n : index", "results(%n) grid(%m, %one, %one) numbers(%n)", 100000,
         "the grid of plugin 'k' in x is at most 2147483647, but 10000000000 is greater than 2147483647", 3),
        ("a large grid in y", "", "results(%n) grid(%one, %n, %one) numbers(%n)", 65536, "in y is at most 65535", 3),
        ("a large grid in z", "", "results(%n) grid(%one, %one, %n) numbers(%n)", 65536, "in z is at most 65535", 3),
        ("a negative grid", "%m = arith.subi %n, %c256 : index", "results(%n) grid(%m, %one, %one) numbers(%n)", 255,
         "the grid of plugin 'k' in x is at least 0, but -1 is less than 0", 256),
        ("overflow", "%p = arith.muli %n, %n : index\n  %q = arith.muli %p, %p : index\n  %m = arith.minsi %q, %one : index",
         "results(%n) grid(%m, %one, %one) numbers(%n)", 60000, "the product of two sizes must fit 64 bits", 3),
        ("division by 0", "%q = arith.divsi %c256, %n : index\n  %m = arith.minsi %q, %one : index",
         "results(%n) grid(%m, %one, %one) numbers(%n)", 0, "divided by another number than 0", 3),
        ("a negative size", "%d = arith.subi %n, %c256 : index\n  %z = arith.subi %n, %n : index\n  %m = arith.addi %d, %z : index",
         "results(%m) grid(%b, %one, %one) numbers(%m)", 255, "size 0 of the results of plugin 'k' is not negative", 300),
        ("a large i32", "%p = arith.muli %n, %c256 : index\n  %q = arith.muli %p, %c256 : index",
         "results(%n) grid(%one, %one, %one) numbers(%q)", 40000, "number 0 of plugin 'k', an i32, is at most 2147483647", None),
    ]:
        found = compile_text(program(sizes=sizes, end=end))
        place = f"text.mlir:{12 + sizes.count(chr(10))}"
        check(what, found, 0, ["warning: ", place])
        check(what + ", strict", compile_text(program(sizes=sizes, end=end), "cuda", "--strict-shapes"), 1, ["error: "])
        compile_text(program(sizes=sizes, end=end))
        tool = os.path.join(BIN, "tripy-run")
        check(what + ", run", run(tool, "text.tpx", "--input", f"zeros:{bad}"), 2, [said, f"{place} in trace.plugin"])
        if good is not None:
            check(what + ", good", run(tool, "text.tpx", "--input", f"zeros:{good}"), 0, ["shape=("])

    print(f"{Checks.count} checks, {Checks.failures} failures")
    return Checks.failures != 0


sys.exit(main())

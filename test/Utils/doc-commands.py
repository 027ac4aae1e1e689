#!/usr/bin/env python3
"""Executes the commands that README.md, CONTRIBUTING.md, docs/ and the examples print.

usage: doc-commands.py --build DIR [--scratch DIR] [PAGE...]

Blocks of the language `sh` are commands. Those of a page run in one shell, in
order, in a folder that looks like the repository; a command that fails is a
failure. `<!-- prints -->` before a block says that it is what the last command
before it prints; "..." stands for any text or, alone, for any lines. GPUs are
emulated. Every block has a language, so that no command hides in another one.
Options that the text names must be there, too.

NOT_RUN lists what does not run, with the reason, and ELSEWHERE what another test
runs; SHORTER has commands that take long with less work. Prints `SKIPPED:` lines
and counts.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INPUTS = os.path.join(ROOT, "test/Utils/Inputs/pages")

# page | a pattern of the command | why it does not run
NOT_RUN = [
    ("README.md", r"\./utils/demo", "installs packages and builds everything; the commands below are its parts"),
    ("README.md", r"\./utils/check", "runs this test"),
    ("README.md", r"cmake --preset dev", "builds everything"),
    ("CONTRIBUTING.md", r"cmake --preset (dev|asan|release)", "builds everything"),
    ("CONTRIBUTING.md", r"ctest --test-dir build/dev$", "runs this test"),
    ("docs/accuracy.md", r"TRIPY_MATH_EXHAUSTIVE", "takes half an hour"),
    ("docs/accuracy.md", r"TRIPY_MATH_TABLE", "writes the page"),
    ("docs/accuracy.md", r"python3 test/Models/accuracy\.py", "needs a GPU and PyTorch"),
    ("docs/benchmarks.md", r"utils/gpu-bundle", "builds the preset release"),
    ("docs/benchmarks.md", r"gpu-bundle/run\.sh", "needs a GPU"),
    ("docs/benchmarks.md", r"bench/harness\.py --bin", "needs a GPU and PyTorch"),
    ("docs/benchmarks.md", r"bench/tune\.py", "needs a GPU"),
    ("docs/benchmarks.md", r"bench/(host|cpu|cpu_zoo)\.py", "measures minutes on an idle machine"),
    ("docs/packages.md", r"cmake --preset package", "builds everything"),
    ("docs/random-testing.md", r"utils/smith --minutes", "takes an hour"),
    ("python-free-examples/nanogpt/README.md", r"build/examples/nanogpt --weights gpt2/", "needs published weights"),
    ("python-free-examples/resnet50/README.md", r"build/examples/resnet50 --weights", "needs published weights"),
    ("docs/random-testing.md", r"(cp -a|cmake -S|LD_LIBRARY_PATH=\S+ utils/smith-mutations)", "builds a copy of the sources"),
]
# page | a pattern | the test that runs it
ELSEWHERE = [
    ("CONTRIBUTING.md", r"tripy-(compile|run) square", "contributing"),
    ("CONTRIBUTING.md", r"ctest --test-dir build/dev -L emulated", "emulated-*"),
    ("CONTRIBUTING.md", r"build/dev/test/run-lit", "lit"),
    ("docs/accuracy.md", r"CodegenMathTests", "unit-CodegenMathTests"),
    ("docs/emulator.md", r"ctest --test-dir build/dev -L emulated", "emulated-*"),
    ("docs/emulator.md", r"test/Emulator/run_conformance\.py", "emulated-conformance, with fewer programs"),
    ("docs/packages.md", r"cd build/package && cpack", "packages"),
    ("docs/random-testing.md", r"test/Reference/onnx_nodes\.py", "onnx-nodes"),
    ("docs/packages.md", r"cc -std=c11", "consumers"),
    ("python-free-examples/README.md", r"cmake ", "consumers"),
]
# page | a pattern in a command | what stands there instead
SHORTER = [
    ("docs/benchmarks.md", r"build/release/bin/frontend-benchmark", "build/dev/bin/frontend-benchmark --processes=1"),
    ("docs/packages.md", r"build/release --prefix /opt/tripy", "build/dev --prefix opt/tripy"),
    ("docs/random-testing.md", r"utils/smith$", "utils/smith --count 4"),
    ("docs/random-testing.md", r"utils/smith --device cuda:0$", "utils/smith --device cuda:0 --count 1"),
    ("docs/emulator.md", r"--count 200 --repeat 100", "--count 1 --repeat 2 --emitters row"),
    ("CONTRIBUTING.md", r"--emitters gemm-tensor,row", "--emitters row --count 1"),
    ("docs/tuning.md", r"--tune=cuda:0", "--tune=cuda:0 --tune-candidates=2 --tune-copies=2 --tune-runs=1"),
    ("docs/runtime.md", r"--benchmark=1000", "--benchmark=2"),
    ("docs/libraries.md", r"--benchmark", "--benchmark=1"),
]
# What a page takes for granted: files that its commands read, made in $PWD from
# those in $INPUTS.
REMARKS, PRODUCT = "cp $INPUTS/remarks.mlir model.mlir", "cp $INPUTS/product.mlir model.mlir"
BEFORE = {
    "docs/benchmarks.md": "cp bench/results/h200.json before.json; cp bench/results/h200.json after.json",
    "docs/editors.md": "cp $INPUTS/remarks.mlir model.mlir; mkdir -p stand-in; cp $INPUTS/crashing-compiler "
                       "stand-in/tripy-compile; export PATH=$PWD/stand-in:$PATH",
    "docs/emulator.md": "cp python-free-examples/mlp.mlir model.mlir",
    "docs/executable.md": "tripy-compile python-free-examples/mlp.mlir -o model.tpx --target=cuda",
    "docs/from-pytorch-or-jax.md": REMARKS + "; cp test/Target/Inputs/mlp.tosa.mlir model.tosa.mlir",
    "docs/levels.md": REMARKS,
    "docs/libraries.md": PRODUCT,
    "docs/linalg.md": "cp test/Models/Inputs/tosa/conv.mlir net.mlir",
    "docs/rationale/fusion.md": REMARKS,
    "docs/runtime.md": "tripy-compile python-free-examples/geglu.mlir -o geglu.tpx; cp $INPUTS/model.mlir .; "
                       "tripy-compile model.mlir -o model.tpx; $PYTHON $INPUTS/model_files.py",
    "docs/second-exit.md": "cp test/Tools/mlir-runner/cuda-cores.mlir model.mlir; "
                           "sed s/ROWS/5/ test/Tools/mlir-runner/Inputs/host.mlir >host.mlir",
    "docs/tuning.md": PRODUCT,
}
# The examples print what they print on a CPU.
EXAMPLES = "python-free-examples/"
# Folders that commands write to; the others are links to the repository's.
COPIED = {"bench", "python-free-examples"}
LEFT_OUT = {"build", ".git"}
BLOCK = re.compile(r"^(?P<prints><!-- prints -->\n)?```(?P<language>\S*)\n(?P<body>.*?)^```$", re.S | re.M)
# Options of other projects' tools that pages name.
FOREIGN = {"component", "force-blocking-launches", "stablehlo-legalize-to-linalg"}
TOOLS = ["tripy-opt", "tripy-compile", "tripy-run", "tripy-reduce", "tripy-lsp-server"]
# Scripts and their options.
SCRIPTS = ["bench/*.py", "bench/*.cpp", "test/Models/*.py", "test/Reference/*.py", "test/Smith/*.py", "utils/*.py", "utils/bundle/*",
           "python-free-examples/*/*"]
MARK, NO_COMMAND = "@@ command ", -1


def commands(body):
    """The commands of a block: continued lines and here-documents are one."""
    found, end = [], None
    for line in body.splitlines():
        if end is not None or (found and found[-1].endswith("\\")):
            found[-1] += "\n" + line
            if line == end:
                end = None
            continue
        line = re.sub(r"\s+# .*$", "", line)
        if line.strip() and not line.startswith("#"):
            found.append(line)
            document = re.search(r"<<'?(\w+)'?", line)
            end = document.group(1) if document else None
    return found


def expected_pattern(text):
    """A pattern for what is printed: '...' is any text, alone on a line any lines."""
    pattern = ""
    for line in text.strip("\n").split("\n"):
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += r".*?".join(re.escape(part.rstrip()) for part in line.split("...")) + r"[ \t]*\n"
    return pattern


class Page:
    def __init__(self, path):
        self.path, self.problems, self.counts = path, [], {"run": 0, "elsewhere": 0, "skipped": 0}
        # Commands to run, and by the number of a command what it prints.
        self.script, self.prints, self.used = [], {}, set()
        with open(os.path.join(ROOT, path)) as page:
            text = page.read()
        self.check_indented(text)
        # The command that ran last: None before the first one, NO_COMMAND if it is left out.
        last = None
        for block in BLOCK.finditer(text):
            body = block["body"]
            if not block["language"]:
                self.problems.append(f"a block has no language: {body.splitlines()[0]}")
            if block["prints"] and last is None:
                self.problems.append(f"no command prints: {body.splitlines()[0]}")
            elif block["prints"] and last != NO_COMMAND:
                self.prints[last] = body
            if block["language"] == "sh":
                last = self.add(body)
            if block["language"] == "cpp" and path.startswith("docs/guide/"):
                last = NO_COMMAND  # test/Guide compares what programs print.

    def check_indented(self, text):
        outside = BLOCK.sub("", text)
        for match in re.finditer(r"\n\n((?![-*]|\d+\.)\S[^\n]*\n)+\n    (\S[^\n]*)", outside):
            self.problems.append(f"a block is indented instead of fenced: {match.group(2)}")

    def add(self, body):
        """The number of the block's last command, NO_COMMAND if that does not run."""
        number = NO_COMMAND
        for command in commands(body):
            number = NO_COMMAND
            first = command.splitlines()[0]
            if reason := self.row(NOT_RUN, command):
                self.counts["skipped"] += 1
                print(f"SKIPPED: {self.path}, '{first.split('  ')[0]}': {reason}")
            elif test := self.row(ELSEWHERE, command):
                self.counts["elsewhere"] += 1
                print(f"elsewhere: {self.path}, '{first.split('  ')[0]}': test {test}")
            else:
                for page, pattern, instead in SHORTER:
                    if page == self.path and re.search(pattern, command):
                        self.used.add(pattern)
                        command = re.sub(pattern, lambda _: instead, command)
                self.counts["run"] += 1
                number = len(self.script)
                self.script.append(command)
        return number

    def row(self, table, command):
        for page, pattern, text in table:
            if page == self.path and re.match(pattern, command):
                self.used.add(pattern)
                return text
        return None

    def run(self, folder, environment):
        lines = ["set -e", BEFORE.get(self.path, "export TRIPY_DEVICE=cpu" * self.path.startswith(EXAMPLES))]
        for number, command in enumerate(self.script):
            lines += [f"echo; echo '{MARK}{number}'", command]
        lines += [f"echo; echo '{MARK}{len(self.script)}'"]
        done = subprocess.run(["bash", "-c", "\n".join(lines)], cwd=folder, env=environment, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        parts = re.split(rf"^{MARK}(\d+)\n", done.stdout, flags=re.M)
        outputs = {int(n): text for n, text in zip(parts[1::2], parts[2::2])}
        if done.returncode != 0:
            number = max(outputs, default=None)
            command = self.script[number] if number is not None else "what BEFORE has"
            text = outputs.get(number, done.stdout)
            self.problems.append(f"exit status {done.returncode} of: {command}\n{text[-3000:]}")
            return
        for number, expected in self.prints.items():
            found = "".join(line.rstrip() + "\n" for line in outputs[number].rstrip("\n").split("\n"))
            if not re.fullmatch(expected_pattern(expected), found):
                self.problems.append(f"{self.script[number]}\nexpected\n{expected}found\n{found}")


def known_options(build):
    """Without the dashes."""
    text = ""
    for tool in TOOLS:
        for option in ("--help", "--help-hidden"):
            done = subprocess.run([os.path.join(build, "bin", tool), option], text=True, capture_output=True)
            text += done.stdout + done.stderr
    for path in (path for pattern in SCRIPTS for path in glob.glob(os.path.join(ROOT, pattern))):
        with open(path) as script:
            text += script.read()
    return FOREIGN | set(re.findall(r"--([a-z][\w-]+)", text))


def check_inline(page, known):
    """Options that the text names are there."""
    with open(os.path.join(ROOT, page.path)) as handle:
        text = BLOCK.sub("", handle.read())
    for code in re.findall(r"`([^`\n]+(?:\n[^`\n]+)?)`", text):
        for option in re.findall(r"(?:^|[\s=(])--([a-z][\w-]+)", code):
            if option not in known:
                page.problems.append(f"no tool has the option --{option}: `{code}`")


def repository(folder):
    """A folder like the repository, in which commands may write."""
    os.makedirs(folder)
    for name in os.listdir(ROOT):
        if name in COPIED:
            shutil.copytree(os.path.join(ROOT, name), os.path.join(folder, name))
        elif name not in LEFT_OUT:
            os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))


def check_tables(pages):
    """No row is there for a command that no page has."""
    by_path = {page.path: page for page in pages}
    for path, pattern, _ in NOT_RUN + ELSEWHERE + SHORTER:
        if path in by_path and pattern not in by_path[path].used:
            by_path[path].problems.append(f"no command matches '{pattern}'")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--scratch")
    parser.add_argument("--llvm", default="/usr/lib/llvm-22/bin")
    parser.add_argument("pages", nargs="*")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    scratch = os.path.abspath(options.scratch or os.path.join(build, "doc-commands"))
    shutil.rmtree(scratch, ignore_errors=True)
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, text=True, capture_output=True, check=True).stdout
    paths = options.pages or [path for path in listed.split() if re.match(rf"[A-Z]+\.md|docs/(?!operations/)|{EXAMPLES}", path)]
    environment = dict(os.environ, INPUTS=INPUTS, PYTHON=sys.executable, TRIPY_CACHE_DIR=os.path.join(scratch, "cache"),
                       LD_LIBRARY_PATH=os.path.join(build, "lib/cuda-emulator"),
                       PATH=os.pathsep.join([os.path.join(build, "bin"), os.path.dirname(sys.executable), options.llvm,
                                             os.environ["PATH"]]))
    pages = [Page(path) for path in paths]
    check_tables(pages)
    known = known_options(build)
    for page in pages:
        check_inline(page, known)
        if page.script:
            folder = os.path.join(scratch, page.path.replace("/", "-"))
            repository(folder)
            os.makedirs(os.path.join(folder, "build"))
            os.symlink(build, os.path.join(folder, "build/dev"))
            os.symlink(os.path.join(build, "examples"), os.path.join(folder, "build/examples"))
            page.run(folder, environment)
        for problem in page.problems:
            print(f"{page.path}: {problem}")
    total = {key: sum(page.counts[key] for page in pages) for key in pages[0].counts}
    outputs = sum(len(page.prints) for page in pages)
    print(f"{len(pages)} pages: {total['run']} commands run, {outputs} outputs compared, {total['elsewhere']} run by "
          f"other tests, {total['skipped']} skipped, {sum(len(page.problems) for page in pages)} problems")
    sys.exit(1 if any(page.problems for page in pages) else 0)


main()

# The lit suite. Tools are those of the build and of LLVM's bin folder.
#
#   %include       flags that let mlir-tblgen and tripy-tblgen find .td files
#   %source        the root of the sources
#   %bin           the folder of the tools
#   %python        the interpreter
#   %cc            the C compiler
#   %llvm          the folder of LLVM's tools
#   %plugin        TripyPlugin.so
#   %emulated      before a command: it runs on the CUDA emulator, which reads
#                  PTX: nothing is assembled
#   tripy-opt      as a command, not in text that a test looks for: with
#                  --verify-provenance and --verify-roundtrip
#
# Features:
#   plugin         TripyPlugin.so is built: LLVM is linked shared
#   assembler      tripy-compile finds CUDA's assembler

import os
import subprocess
import tempfile

import lit.formats

config.name = "tripy"
config.suffixes = [".mlir", ".td", ".test"]
config.excludes = ["Inputs", "Consumers"]
config.test_source_root = os.path.dirname(__file__)
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_exec_root = os.path.join(config.tripy_build, "test", "lit")

# No test finds code that another one compiled.
config.environment["TRIPY_CACHE_DIR"] = ""

tools = [os.path.join(config.tripy_build, "bin"), config.llvm_tools]
config.environment["PATH"] = os.pathsep.join(tools + [os.environ["PATH"]])
# A crash prints its stack without symbols quickly, instead of with them slowly.
config.environment["LLVM_DISABLE_SYMBOLIZATION"] = "1"

plugin = os.path.join(config.tripy_build, "lib", "TripyPlugin.so")
if os.path.exists(plugin):
    config.available_features.add("plugin")
config.substitutions += [
    ("%include", f"-I {config.tripy_source}/include -I {config.mlir_include}"),
    ("%source", config.tripy_source),
    ("%bin", os.path.join(config.tripy_build, "bin")),
    ("%python", config.python),
    ("%plugin", plugin),
    ("%cc", config.c_compiler),
    ("%llvm", config.llvm_tools),
    ("%emulated",
     f"env LD_LIBRARY_PATH={config.tripy_build}/lib/cuda-emulator TRIPY_CUDA_HOME={config.tripy_build}/test"),
]

config.substitutions.append((r"(?<![-\w./])tripy-opt(?![-\w.])",
                             "tripy-opt --verify-provenance --verify-roundtrip"))

with tempfile.TemporaryDirectory() as folder:
    compiled = subprocess.run(
        [os.path.join(config.tripy_build, "bin", "tripy-compile"),
         os.path.join(config.test_source_root, "Target/Inputs/two.mlir"), "--target=cuda", "--no-cache",
         "-o", os.path.join(folder, "two.tpx")], text=True, capture_output=True)
if "PTX only" not in compiled.stderr:
    config.available_features.add("assembler")

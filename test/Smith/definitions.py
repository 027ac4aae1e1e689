"""The operations that the compiler defines, against those that are drawn."""
import os
import re
import subprocess

from draw import undrawn
from ops import OPS

# Operations that are not drawn, and why.
NOT_DRAWN = {"plugin": "its kernel is the user's: there is no meaning to compare it with"}
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def defined_operations(tblgen, mlir_include):
    """Names of the operations on the generated reference page of the trace dialect."""
    page = subprocess.run([tblgen, "-gen-op-docs", f"-I{ROOT}/include", f"-I{mlir_include}",
                           f"{ROOT}/include/tripy/Dialect/Trace/TraceOps.td"], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"^## `trace\.(\w+)`", page, re.M))


def missing_operations(options):
    """"" or what the generator does not know. Without tripy-tblgen its own lists are compared alone."""
    if undrawn():
        return f"operations are drawn or evaluated alone: {', '.join(undrawn())}"
    tblgen = options.tblgen or os.path.join(options.bin, "tripy-tblgen")
    if not os.path.exists(tblgen):
        return f"--tblgen {tblgen} is not there" if options.tblgen else ""
    known = {name for name in OPS if "." not in name and name != "index"}
    defined = defined_operations(tblgen, options.mlir_include)
    if not defined:
        return "tripy-tblgen lists no operations"
    problems = [f"trace.{name} is not drawn: give it an entry in ops.py and draw.py" for name in sorted(defined - known - set(NOT_DRAWN))]
    problems += [f"trace.{name} does not exist" for name in sorted((known | set(NOT_DRAWN)) - defined)]
    return "\n".join(problems)

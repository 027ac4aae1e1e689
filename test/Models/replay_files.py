"""Writes a program's inputs and expected results for conformance-replay (unittests/Conformance/Replay.cpp)."""
import json
import struct

import numpy as np

from shape_program import FLOATS, to_bits

# The types' names in safetensors files.
NAMES = {"f32": "F32", "f16": "F16", "bf16": "BF16", "i32": "I32", "i64": "I64", "i8": "I8", "i1": "BOOL", "f8E4M3FN": "F8_E4M3"}


def write_safetensors(path, tensors, metadata):
    """`tensors`: (name, type, array of stored bits)."""
    header, end = {"__metadata__": metadata}, 0
    for name, dtype, array in tensors:
        header[name] = {"dtype": NAMES[dtype], "shape": list(array.shape), "data_offsets": [end, end + array.nbytes]}
        end += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for _, _, array in tensors:
            out.write(array.tobytes())


def write_case(path, program, seed):
    """All runs of the program. The file has one tolerance for all elements: the greatest bound."""
    dtype = program.dtypes[program.result]
    tensors, bound = [], 0.0
    for run in range(len(program.runs)):
        inputs = program.make_inputs(np.random.default_rng([seed, run]), run)
        value, error = program.evaluate(inputs)
        for i, ((name, _), array) in enumerate(zip(program.inputs, inputs)):
            tensors.append((f"in.{run}.{i}", program.dtypes[name], array))
        with np.errstate(all="ignore"):
            tensors.append((f"out.{run}.0", dtype, np.asarray(to_bits(value, dtype), order="C")))
        error = np.broadcast_to(error, value.shape)
        if dtype in FLOATS:
            # The stored value is rounded as well.
            bound = max(bound, 3 * float(np.max(error[np.isfinite(error)], initial=0)))
    write_safetensors(path, tensors, {"runs": str(len(program.runs)), "tolerance.0": f"0 0 {bound:g}",
                                      "label.0": program.result})

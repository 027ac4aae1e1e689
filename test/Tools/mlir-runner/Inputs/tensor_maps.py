"""tensor_maps.py WRAPPERS [FAULT]: maps of a 100 x 64 tensor of f16 whose rows are 80 elements apart.

Made of a memref and of what the driver takes they are the same bytes. FAULT is
what is wrong: the rank, the type, a stride or the box.
"""

import ctypes
import sys

F16, RANK = 6, 2
wrappers = ctypes.CDLL(sys.argv[1])
fault = sys.argv[2] if len(sys.argv) > 2 else ""
wrappers.mgpuMemAlloc.restype = ctypes.c_void_p
wrappers.mgpuStreamCreate.restype = ctypes.c_void_p
wrappers.mgpuTensorMapEncodeTiledMemref.restype = ctypes.c_void_p


def array(kind, *values):
    return (kind * len(values))(*values)


class MemRef(ctypes.Structure):
    _fields_ = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p),
                ("offset", ctypes.c_int64), ("sizes", ctypes.c_int64 * RANK),
                ("strides", ctypes.c_int64 * RANK)]


stream = ctypes.c_void_p(wrappers.mgpuStreamCreate())
memory = wrappers.mgpuMemAlloc(ctypes.c_uint64(1 << 16), stream, False)
offset = 128  # Elements.
tensor = MemRef(memory, memory, offset, array(ctypes.c_int64, 100, 64),
                array(ctypes.c_int64, 80, 2 if fault == "stride" else 1))
box = array(ctypes.c_int64, 512 if fault == "box" else 16, 32)
swizzle, promotion = 2, 3  # 64 bytes; to 256 bytes.
made = wrappers.mgpuTensorMapEncodeTiledMemref(
    ctypes.c_int64(6 if fault == "rank" else RANK), ctypes.byref(tensor),
    ctypes.c_int64(13 if fault == "type" else F16), ctypes.c_int64(0),
    ctypes.c_int64(swizzle), ctypes.c_int64(promotion), ctypes.c_int64(0), box)
found = ctypes.create_string_buffer(128)
wrappers.mgpuMemcpy(found, ctypes.c_void_p(made), ctypes.c_size_t(128), stream)
wrappers.mgpuStreamSynchronize(stream)

# The map of the driver is aligned to 128 bytes.
room = ctypes.create_string_buffer(256)
expected = ctypes.addressof(room) + -ctypes.addressof(room) % 128
wrappers.mgpuTensorMapEncodeTiled(
    ctypes.c_void_p(expected), F16, RANK, ctypes.c_void_p(memory + 2 * offset),
    array(ctypes.c_uint64, 64, 100), array(ctypes.c_uint64, 160),
    array(ctypes.c_uint32, 32, 16), array(ctypes.c_uint32, 1, 1), 0, swizzle,
    promotion, 0)
assert found.raw == ctypes.string_at(expected, 128)
assert found.raw != bytes(128)

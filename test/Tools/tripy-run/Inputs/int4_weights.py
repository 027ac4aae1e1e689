"""Writes FILE.safetensors: 'w' as bytes of uint8, in the given shape, or of another type."""
import json
import struct
import sys

path, dtype, sizes, data = sys.argv[1], sys.argv[2], json.loads(sys.argv[3]), bytes.fromhex(sys.argv[4])
header = json.dumps({"w": {"dtype": dtype, "shape": sizes, "data_offsets": [0, len(data)]}}).encode()
with open(path, "wb") as out:
    out.write(struct.pack("<Q", len(header)) + header + data)

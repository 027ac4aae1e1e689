"""Names of Tripy for Python, in the order of its reference: what they are in trace.

Operations are named in backticks. utils/coverage.py checks that they exist.
"""
MISSING = "not there yet"

NAMES = {
    # Operators.
    "+ - * / // % **": "`trace.add` `trace.sub` `trace.mul` `trace.div` `trace.floor_div` `trace.mod` `trace.pow`",
    "== != < <= > >=": "`trace.eq` `trace.ne` `trace.lt` `trace.le` `trace.gt` `trace.ge`",
    "&, |, ~ of bool": "`trace.logical_and` `trace.logical_or` `trace.logical_not`",
    "- and abs": "`trace.neg` `trace.abs`",
    "@": "`trace.matmul`",
    "x[...]": "`trace.slice`, `trace.gather`; for integers and None `trace.squeeze` and `trace.unsqueeze`",
    # Creation.
    "arange": "`trace.iota`, `trace.mul`, `trace.add`",
    "iota, iota_like": "`trace.iota`; sizes of another tensor by `trace.dim`",
    "full, ones, zeros and their _like": "`trace.full`; sizes of another tensor by `trace.dim`",
    "tril, triu": "`trace.tril` `trace.triu`",
    # Element-wise.
    "cos exp log rsqrt sin sqrt tanh": "`trace.cos` `trace.exp` `trace.log` `trace.rsqrt` `trace.sin` `trace.sqrt` `trace.tanh`",
    "gelu relu sigmoid silu": "`trace.gelu` `trace.relu` `trace.sigmoid` `trace.silu`",
    "maximum minimum": "`trace.maximum` `trace.minimum`",
    "cast": "`trace.cast`",
    "where, masked_fill": "`trace.where`; [masked_fill](compositions.md#masked_fill)",
    # Shape and movement.
    "concatenate, stack": "`trace.concatenate`; [stack](compositions.md#stack)",
    "copy": "no operation, [values of a program live on one device](compositions.md#copy)",
    "expand, repeat": "`trace.expand` `trace.repeat`",
    "flatten, reshape": "`trace.reshape`",
    "flip": "`trace.flip`",
    "gather": "`trace.gather`",
    "outer": "[composition](compositions.md#outer)",
    "pad": "`trace.pad`",
    "permute, transpose": "`trace.permute` `trace.transpose`",
    "shape": "`trace.dim`; [as data](compositions.md#shape-as-data) `trace.from_index`",
    "split": "`trace.split`; [at run-time sizes](compositions.md#split-at-run-time-sizes)",
    "squeeze, unsqueeze": "`trace.squeeze` `trace.unsqueeze`",
    # Reductions.
    "all any max mean min prod sum var": "`trace.all` `trace.any` `trace.max` `trace.mean` `trace.min` `trace.prod` `trace.sum` `trace.var`",
    "argmax argmin": "`trace.argmax` `trace.argmin`",
    "cumsum": "`trace.cumsum`",
    "topk": "`trace.topk`",
    "allclose, equal": "`trace.eq`, `trace.all`; allclose: `trace.sub`, `trace.abs`, `trace.le`, `trace.all`",
    "softmax": "`trace.softmax`",
    # Layers.
    "Conv, ConvTranspose": "`trace.convolution` `trace.conv_transpose`",
    "avgpool, maxpool": "`trace.avgpool` `trace.maxpool`; [avgpool of integers](compositions.md#averages-of-integers)",
    "resize": "`trace.resize`",
    "Linear, Embedding": "`trace.linear` `trace.embedding`",
    "BatchNorm GroupNorm InstanceNorm LayerNorm": "`trace.batch_norm` `trace.group_norm` `trace.instance_norm` `trace.layer_norm`",
    "quantize, dequantize": "`trace.quantize` `trace.dequantize`",
    "plugin": "`trace.plugin`, with a declaration: [plugins](plugins.md)",
}

"""Cases of cpu.py: every operation on about 1e7 elements.

A row is name | inputs | operation that makes %r | PyTorch's expression of T (torch), F (torch.nn.functional) and the inputs.
An input is NAME:SHAPExTYPE. Its numbers are normal, or, by what stands behind, "+" positive, "~" in (-1, 1), ">" at least 1,
"<N" whole and below N. [x] is the type of x.
"""
import re

_UNARY = """neg:-x abs:x.abs() exp:x.exp() log+:x.log() sqrt+:x.sqrt() rsqrt+:x.rsqrt() tanh:x.tanh() erf:x.erf() sin:x.sin()
cos:x.cos() floor:x.floor() ceil:x.ceil() round:x.round() trunc:x.trunc() sign:x.sign() exp2:x.exp2() expm1:x.expm1()
log2+:x.log2() log10+:x.log10() log1p+:x.log1p() tan:x.tan() asin~:x.asin() acos~:x.acos() atan:x.atan() sinh:x.sinh()
cosh:x.cosh() asinh:x.asinh() acosh>:x.acosh() atanh~:x.atanh() reciprocal:x.reciprocal() sigmoid:x.sigmoid() silu:F.silu(x)
relu:F.relu(x) gelu:F.gelu(x,approximate='tanh') softplus:F.softplus(x) mish:F.mish(x) hard_swish:F.hardswish(x)"""
_BINARY = """add:x+y sub:x-y mul:x*y div:x/y floor_div:T.div(x,y,rounding_mode='floor') mod:T.remainder(x,y) pow+:T.pow(x,y)
maximum:T.maximum(x,y) minimum:T.minimum(x,y) atan2:T.atan2(x,y)"""
_COMPARE = "eq:x==y lt:x<y"
_INTEGER = """add+:x+y mul+:x*y floor_div+:T.div(x,y,rounding_mode='floor') mod+:T.remainder(x,y) bitwise_and+:x&y bitwise_xor+:x^y
shift_left<16:x<<y maximum+:T.maximum(x,y)"""
N = "10000000"
_ROWS = f"""
cast_f16 | x:{N}xf32 | cast %x to f16 : ([x]) -> tensor<{N}xf16> | x.half()
cast_from_f16 | x:{N}xf16 | cast %x to f32 : ([x]) -> tensor<{N}xf32> | x.float()
cast_i32 | x:{N}xf32 | cast %x to i32 : ([x]) -> tensor<{N}xi32> | x.int()
add_f16 | x:{N}xf16 y:{N}xf16 | add %x, %y : ([x], [y]) -> [x] | x+y
exp_f16 | x:{N}xf16 | exp %x : ([x]) -> [x] | x.float().exp().half()
elu | x:{N}xf32 | elu %x alpha = 1.0 : ([x]) -> [x] | F.elu(x)
leaky_relu | x:{N}xf32 | leaky_relu %x slope = 0.01 : ([x]) -> [x] | F.leaky_relu(x)
hard_sigmoid | x:{N}xf32 | hard_sigmoid %x alpha = 0.16666667 beta = 0.5 : ([x]) -> [x] | F.hardsigmoid(x)
isnan | x:{N}xf32 | isnan %x : ([x]) -> tensor<{N}xi1> | x.isnan()
clamp | x:{N}xf32 y:xf32 z:1xf32 | clamp %x, %y, %z : ([x], [y], [z]) -> [x] | T.clamp(x, y, z)
where | x:{N}xf32 y:{N}xf32 | where %c, %x, %y : (tensor<{N}xi1>, [x], [y]) -> [x] | T.where(x < y, x, y)
bias | x:10000x1000xf32 y:1000xf32 | add %x, %y : ([x], [y]) -> [x] | x+y
sum_all | x:{N}xf32 | sum %x dims = [0] : ([x]) -> tensor<f32> | x.sum()
sum_rows | x:10000x1000xf32 | sum %x dims = [1] : ([x]) -> tensor<10000xf32> | x.sum(1)
sum_short_rows | x:1000000x10xf32 | sum %x dims = [1] : ([x]) -> tensor<1000000xf32> | x.sum(1)
sum_columns | x:10000x1000xf32 | sum %x dims = [0] : ([x]) -> tensor<1000xf32> | x.sum(0)
sum_f16 | x:10000x1000xf16 | sum %x dims = [1] : ([x]) -> tensor<10000xf16> | x.float().sum(1).half()
prod_rows | x:10000x1000xf32 | prod %x dims = [1] : ([x]) -> tensor<10000xf32> | x.prod(1)
max_rows | x:10000x1000xf32 | max %x dims = [1] : ([x]) -> tensor<10000xf32> | x.amax(1)
max_i32 | x:10000x1000xi32 | max %x dims = [1] : ([x]) -> tensor<10000xi32> | x.amax(1)
mean_rows | x:10000x1000xf32 | mean %x dims = [1] : ([x]) -> tensor<10000xf32> | x.mean(1)
var_rows | x:10000x1000xf32 | var %x dims = [1] correction = 1 : ([x]) -> tensor<10000xf32> | x.var(1)
argmax_rows | x:10000x1000xf32 | argmax %x dim = 1 : ([x]) -> tensor<10000xi32> | x.argmax(1)
argmax_columns | x:10000x1000xf32 | argmax %x dim = 0 : ([x]) -> tensor<1000xi32> | x.argmax(0)
cumsum_rows | x:10000x1000xf32 | cumsum %x dim = 1 : ([x]) -> [x] | x.cumsum(1)
cumsum_columns | x:10000x1000xf32 | cumsum %x dim = 0 : ([x]) -> [x] | x.cumsum(0)
softmax_rows | x:10000x1000xf32 | softmax %x dim = 1 : ([x]) -> [x] | x.softmax(1)
softmax_columns | x:10000x1000xf32 | softmax %x dim = 0 : ([x]) -> [x] | x.softmax(0)
layer_norm | x:10000x1000xf32 w:1000xf32 b:1000xf32 | layer_norm %x, %w, %b eps = 1.0e-5 : ([x], [w], [b]) -> [x] | F.layer_norm(x, (1000,), w, b)
group_norm | x:8x320x64x64xf32 w:320xf32 b:320xf32 | group_norm %x, %w, %b groups = 32 eps = 1.0e-5 : ([x], [w], [b]) -> [x] | F.group_norm(x, 32, w, b)
batch_norm | x:8x320x64x64xf32 m:320xf32 v:320xf32+ w:320xf32 b:320xf32 | batch_norm %x, %m, %v, %w, %b eps = 1.0e-5 : ([x], [m], [v], [w], [b]) -> [x] | F.batch_norm(x, m, v, w, b)
transpose | x:3200x3125xf32 | transpose %x dims = 0, 1 : ([x]) -> tensor<3125x3200xf32> | x.t().contiguous()
transpose_f16 | x:3200x3125xf16 | transpose %x dims = 0, 1 : ([x]) -> tensor<3125x3200xf16> | x.t().contiguous()
permute | x:8x320x64x64xf32 | permute %x [0, 2, 3, 1] : ([x]) -> tensor<8x64x64x320xf32> | x.permute(0, 2, 3, 1).contiguous()
heads | x:16x1024x12x64xf32 | permute %x [0, 2, 1, 3] : ([x]) -> tensor<16x12x1024x64xf32> | x.permute(0, 2, 1, 3).contiguous()
concatenate | x:10000x500xf32 y:10000x500xf32 | concatenate %x, %y dim = 1 : ([x], [y]) -> tensor<10000x1000xf32> | T.cat((x, y), 1)
slice | x:10000x2000xf32 | slice %x [0, 0] to [10000, 2000] by [1, 2] : ([x]) -> tensor<10000x1000xf32> | x[:, ::2].contiguous()
flip | x:10000x1000xf32 | flip %x dims = [1] : ([x]) -> [x] | x.flip(1)
roll | x:10000x1000xf32 | roll %x by [7] dims = [1] : ([x]) -> [x] | x.roll(7, 1)
repeat | x:10000x100xf32 | repeat %x by [1, 10] : ([x]) -> tensor<10000x1000xf32> | x.repeat_interleave(10, 1)
tile | x:10000x100xf32 | tile %x by [1, 10] : ([x]) -> tensor<10000x1000xf32> | x.repeat(1, 10)
expand | x:10000x1xf32 | expand %x to [10000, 1000] : ([x]) -> tensor<10000x1000xf32> | x.expand(10000, 1000).contiguous()
pad | x:10000x1000xf32 | pad %x low [0, 3] high [0, 5] value = 0.0 : f32 : ([x]) -> tensor<10000x1008xf32> | F.pad(x, (3, 5))
pad_reflect | x:32x320x1000xf32 | pad %x low [0, 0, 3] high [0, 0, 5] mode = "reflect" : ([x]) -> tensor<32x320x1008xf32> | F.pad(x, (3, 5), mode='reflect')
tril | x:3200x3125xf32 | tril %x diagonal = 0 : ([x]) -> [x] | x.tril()
full | | full [{N}] value = 1.5 : f32 -> tensor<{N}xf32> | T.full(({N},), 1.5)
iota | | iota [{N}] dim = 0 dtype = f32 -> tensor<{N}xf32> | T.arange({N}, dtype=T.float32)
gather_rows | x:50000x200xf32 i:50000xi32<50000 | gather %x, %i dim = 0 : ([x], [i]) -> tensor<50000x200xf32> | x.index_select(0, i)
gather_columns | x:10000x1000xf32 i:1000xi32<1000 | gather %x, %i dim = 1 : ([x], [i]) -> tensor<10000x1000xf32> | x.index_select(1, i)
embedding | x:50000x200xf32 i:50x1000xi32<50000 | embedding %x, %i : ([x], [i]) -> tensor<50x1000x200xf32> | F.embedding(i, x)
scatter | x:50000x200xf32 i:1000xi32<50000 y:1000x200xf32 | scatter %x, %i, %y dim = 0 : ([x], [i], [y]) -> [x] | x.index_copy(0, i.long(), y)
update_slice | x:32x12x400x64xf32 y:32x12x1x64xf32 i:xi32<399 | update_slice %x, %y, %i dim = 2 : ([x], [y], [i]) -> [x] | T.cat((x[:, :, :int(i)], y, x[:, :, int(i) + 1:]), 2)
sort_rows | x:10000x1000xf32 | sort %x dim = 1 : ([x]) -> ([x], tensor<10000x1000xi32>) | x.sort(1)[0]
sort_one | x:1000000xf32 | sort %x dim = 0 : ([x]) -> ([x], tensor<1000000xi32>) | x.sort(0)[0]
topk | x:200x50000xf32 | topk %x k = 50 dim = 1 : ([x]) -> (tensor<200x50xf32>, tensor<200x50xi32>) | x.topk(50, 1)[0]
maxpool | x:8x64x140x140xf32 | maxpool %x window = [3, 3] stride = [2, 2] low = [1, 1] high = [1, 1] : ([x]) -> tensor<8x64x70x70xf32> | F.max_pool2d(x, 3, 2, 1)
avgpool | x:8x64x140x140xf32 | avgpool %x window = [3, 3] stride = [2, 2] low = [1, 1] high = [1, 1] : ([x]) -> tensor<8x64x70x70xf32> | F.avg_pool2d(x, 3, 2, 1)
resize_linear | x:8x64x70x70xf32 | resize %x to [-1, -1, 140, 140] mode = "linear" : ([x]) -> tensor<8x64x140x140xf32> | F.interpolate(x, size=(140, 140), mode='bilinear')
resize_nearest | x:8x64x70x70xf32 | resize %x scales = [1.0, 1.0, 2.0, 2.0] mode = "nearest" coordinates = "asymmetric" : ([x]) -> tensor<8x64x140x140xf32> | F.interpolate(x, scale_factor=2)
resize_cubic | x:8x64x70x70xf32 | resize %x to [-1, -1, 140, 140] mode = "cubic" : ([x]) -> tensor<8x64x140x140xf32> | F.interpolate(x, size=(140, 140), mode='bicubic')
convolution | x:4x64x56x56xf32 w:64x64x3x3xf32 | convolution %x, %w low = [1, 1] high = [1, 1] : ([x], [w]) -> [x] | F.conv2d(x, w, padding=1)
convolution_first | x:4x3x224x224xf32 w:64x3x7x7xf32 | convolution %x, %w stride = [2, 2] low = [3, 3] high = [3, 3] : ([x], [w]) -> tensor<4x64x112x112xf32> | F.conv2d(x, w, stride=2, padding=3)
convolution_1x1 | x:4x256x28x28xf32 w:256x256x1x1xf32 | convolution %x, %w : ([x], [w]) -> [x] | F.conv2d(x, w)
convolution_depthwise | x:8x96x56x56xf32 w:96x1x3x3xf32 | convolution %x, %w low = [1, 1] high = [1, 1] groups = 96 : ([x], [w]) -> [x] | F.conv2d(x, w, padding=1, groups=96)
conv_transpose | x:4x64x28x28xf32 w:64x64x3x3xf32 | conv_transpose %x, %w stride = [2, 2] low = [1, 1] high = [1, 1] output_padding = [1, 1] : ([x], [w]) -> tensor<4x64x56x56xf32> | F.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1)
matmul_1024 | x:1024x1024xf32 y:1024x1024xf32 | matmul %x, %y : ([x], [y]) -> [x] | x @ y
matmul_odd | x:1000x999xf32 y:999x1001xf32 | matmul %x, %y : ([x], [y]) -> tensor<1000x1001xf32> | x @ y
matmul_batch | x:64x128x64xf32 y:64x64x128xf32 | matmul %x, %y : ([x], [y]) -> tensor<64x128x128xf32> | x @ y
linear | x:256x768xf32 w:3072x768xf32 b:3072xf32 | linear %x, %w, %b : ([x], [w], [b]) -> tensor<256x3072xf32> | F.linear(x, w, b)
linear_one_row | x:1x4096xf32 w:4096x4096xf32 b:4096xf32 | linear %x, %w, %b : ([x], [w], [b]) -> tensor<1x4096xf32> | F.linear(x, w, b)
attention | x:1x12x512x64xf32 y:1x12x512x64xf32 z:1x12x512x64xf32 | attention %x, %y, %z : ([x], [y], [z]) -> [x] | T.softmax(x @ y.transpose(2, 3) / 8, -1) @ z
quantize | x:{N}xf32 | quantize %x, %s to i8 : ([x], tensor<f32>) -> tensor<{N}xi8> | T.quantize_per_tensor(x, 0.05, 0, T.qint8).int_repr()
dequantize | x:{N}xi8 | dequantize %x, %s : ([x], tensor<f32>) -> tensor<{N}xf32> | x.float() * 0.05
random_uniform | | random_uniform %k [{N}] dtype = f32 : (tensor<i64>) -> tensor<{N}xf32> | T.rand({N})
random_normal | | random_normal %k [{N}] dtype = f32 : (tensor<i64>) -> tensor<{N}xf32> | T.randn({N})
"""
# What comes before the line of a row that needs it.
_BEFORE = {"%c": f"%c = trace.lt %x, %y : (tensor<{N}xf32>, tensor<{N}xf32>) -> tensor<{N}xi1>",
           "%s": "%s = trace.full [] value = 0.05 : f32 -> tensor<f32>",
           "%k": "%k = trace.full [] value = 7 : i64 -> tensor<i64>"}


class CpuCase:
    def __init__(self, row):
        self.name, inputs, line, self.torch = (part.strip() for part in row.split("|"))
        # (name, shape, type, kind), where kind is "", "+", "~", ">" or "<N".
        self.inputs = [self._input(text) for text in inputs.split()]
        for name, shape, dtype, _ in self.inputs:
            line = line.replace(f"[{name}]", f"tensor<{''.join(f'{d}x' for d in shape)}{dtype}>")
        result = re.search(r"-> \(?(tensor<[^>]*>)", line)
        self.result = result.group(1)
        several = "-> (" in line
        lines = [text for name, text in _BEFORE.items() if f"{name}," in line or f"{name} " in line]
        lines.append(f"%r{':2' if several else ''} = trace.{line}")
        arguments = ", ".join(f"%{n}: tensor<{''.join(f'{d}x' for d in s)}{t}>" for n, s, t, _ in self.inputs)
        self.program = (f"func.func @main({arguments}) -> {self.result} {{\n  " + "\n  ".join(lines)
                        + f"\n  return %r{'#0' if several else ''} : {self.result}\n}}\n")

    @staticmethod
    def _input(text):
        name, rest = text.split(":")
        shape, dtype, kind = re.fullmatch(r"((?:\d+x)*)x?(f32|f16|i32|i8)(.*)", rest).groups()
        return name, tuple(int(d) for d in shape.split("x") if d), dtype, kind


def _pointwise(entries, inputs, result):
    """Rows of functions of `inputs`, and of how their numbers are drawn."""
    for entry in entries.split():
        name, torch = entry.split(":", 1)
        name, kind = re.fullmatch(r"(\w+)(.*)", name).groups()
        operands, types = (", ".join(form.format(i) for i in inputs) for form in ("%{}", "[{}]"))
        drawn = " ".join(f"{i}:{shape}{kind}" for i, shape in inputs.items())
        suffix = "_i32" if "i32" in drawn else ""
        yield f"{name}{suffix} | {drawn} | {name} {operands} : ({types}) -> {result} | {torch}"


def cpu_cases():
    f32, i32 = f"{N}xf32", f"{N}xi32"
    rows = [*_pointwise(_UNARY, {"x": f32}, "[x]"), *_pointwise(_BINARY, {"x": f32, "y": f32}, "[x]"),
            *_pointwise(_INTEGER, {"x": i32, "y": i32}, "[x]"), *_pointwise(_COMPARE, {"x": f32, "y": f32}, f"tensor<{N}xi1>")]
    return [CpuCase(row) for row in rows + _ROWS.strip().splitlines()]

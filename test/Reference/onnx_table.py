"""What ONNX's operations are in trace, and which of its tests are left out.

TABLE: name of the operation => a function of Lines (onnx_lines.py) that adds the lines of a node and returns its result or
results. Where trace has the operation it is one line; compositions follow ONNX's definition of the operation.
"""
import math

from onnx import numpy_helper

from onnx_lines import DTYPES, NeedsNumbers
from onnx_windows import WINDOWS

#===-- element-wise ----------------------------------------------------------------===#

UNARY = {**{name: name.lower() for name in (
    "Abs Acos Acosh Asin Asinh Atan Atanh Ceil Cos Cosh Erf Exp Floor IsNaN Log Neg Reciprocal Relu Round Sigmoid Sign Sin Sinh "
    "Softplus Sqrt Tan Tanh").split()}, "Not": "logical_not", "HardSwish": "hard_swish"}
BINARY = {"Add": "add", "Sub": "sub", "Mul": "mul", "Div": "div", "And": "logical_and", "Or": "logical_or", "Xor": "logical_xor",
          "Equal": "eq", "Greater": "gt", "GreaterOrEqual": "ge", "Less": "lt", "LessOrEqual": "le"}


def folded(p, name, values):
    found = values[0]
    for value in values[1:]:
        found = p.op(name, [found, value], {})
    return found


def mean(p):
    values = p.inputs()
    return p.div(folded(p, "add", values), p.number(len(values), values[0].dtype))


def power(p):
    """The result has the first operand's type; numbers of two types are computed as f32."""
    x, y = p.x(0), p.x(1)
    common = x.dtype if x.dtype == y.dtype else "f32"
    x, y = (v if v.dtype == common else p.cast(v, dtype=common) for v in (x, y))
    found = p.pow(x, y)
    return found if common == p.result_dtype() else p.cast(found, dtype=p.result_dtype())


def mod(p):
    """Of the divisor's sign, or with fmod = 1 of the dividend's."""
    x, y = p.x(0), p.x(1)
    if not p.attribute("fmod"):
        return p.mod(x, y)
    found = p.mod(p.abs(x), p.abs(y))
    return p.where(p.lt(x, p.number(0, x.dtype)), p.neg(found), found)


def clip(p):
    x = p.x(0)
    if p.has(1) and p.has(2):
        return p.clamp(x, p.x(1), p.x(2))
    x = p.maximum(x, p.x(1)) if p.has(1) else x
    return p.minimum(x, p.x(2)) if p.has(2) else x


def isinf(p):
    x = p.x(0)
    found = p.isinf(x)
    for name, sign in (("detect_negative", "gt"), ("detect_positive", "lt")):
        if not p.attribute(name, 1):
            found = p.logical_and(found, p.op(sign, [x, p.number(0, x.dtype)], {}))
    return found


def scaled(p, x, factor):
    return x if factor == 1 else p.mul(x, p.number(factor, x.dtype))


def celu(p):
    x, alpha, zero = p.x(), p.attribute("alpha", 1.0), p.number(0, "f32")
    below = scaled(p, p.expm1(p.div(x, p.number(alpha, x.dtype))), alpha)
    return p.add(p.maximum(x, zero), p.minimum(below, zero))


def selu(p):
    return scaled(p, p.elu(p.x(), alpha=p.attribute("alpha", 1.67326319217681884765625)),
                  p.attribute("gamma", 1.05070102214813232421875))


def prelu(p):
    x = p.x(0)
    return p.where(p.lt(x, p.number(0, x.dtype)), p.mul(x, p.x(1)), x)


def shrink(p):
    x, bound, bias = p.x(), p.attribute("lambd", 0.5), p.number(p.attribute("bias", 0.0), "f32")
    above = p.where(p.gt(x, p.number(bound, x.dtype)), p.sub(x, bias), p.number(0, x.dtype))
    return p.where(p.lt(x, p.number(-bound, x.dtype)), p.add(x, bias), above)


def thresholded(p):
    x = p.x()
    return p.where(p.gt(x, p.number(p.attribute("alpha", 1.0), x.dtype)), x, p.number(0, x.dtype))


def dropout(p):
    """Without training nothing is dropped."""
    x = p.x()
    return [x, p.full(sizes=p.sizes(x), value=1, dtype="i1")][:len(p.case.results)]


ELEMENTWISE = {
    **{name: lambda p, op=op: p.op(op, [p.x()], {}) for name, op in UNARY.items()},
    **{name: lambda p, op=op: p.op(op, p.inputs(), {}) for name, op in BINARY.items()},
    "Max": lambda p: folded(p, "maximum", p.inputs()), "Min": lambda p: folded(p, "minimum", p.inputs()),
    "Sum": lambda p: folded(p, "add", p.inputs()), "Mean": mean, "Pow": power, "Mod": mod, "Clip": clip, "IsInf": isinf,
    "BitShift": lambda p: p.op(f"shift_{p.attribute('direction').lower()}", p.inputs(), {}),
    "Where": lambda p: p.where(*p.inputs()), "Identity": lambda p: p.x(), "Dropout": dropout,
    "Cast": lambda p: p.cast(p.x(), dtype=DTYPES[p.attribute("to")]),
    "CastLike": lambda p: p.cast(p.x(), dtype=p.case.kinds[p.name_of(1)]),
    "Celu": celu, "Selu": selu, "PRelu": prelu, "Shrink": shrink, "ThresholdedRelu": thresholded,
    "Elu": lambda p: p.elu(p.x(), alpha=p.attribute("alpha", 1.0)),
    "LeakyRelu": lambda p: p.leaky_relu(p.x(), slope=p.attribute("alpha", 0.01)),
    "HardSigmoid": lambda p: p.hard_sigmoid(p.x(), alpha=p.attribute("alpha", 0.2), beta=p.attribute("beta", 0.5)),
    "Softsign": lambda p: p.div(p.x(), p.add(p.abs(p.x()), p.number(1, p.x().dtype)))}


#===-- reductions ------------------------------------------------------------------===#

def reduction(name, before=lambda p, x: x, after=lambda p, x: x):
    def lines(p):
        dims = p.attribute("axes") or p.numbers(1) or []
        if not dims and p.attribute("noop_with_empty_axes"):
            return p.x()
        return after(p, p.op(name, [before(p, p.x())], {"dims": list(dims), "keepdim": bool(p.attribute("keepdims", 1))}))
    return lines


def square(p, x):
    return p.mul(x, x)


def log_sum_exp(p):
    """Of the distances from the largest element, which cannot overflow."""
    x, dims, keep = p.x(), list(p.attribute("axes") or []), bool(p.attribute("keepdims", 1))
    top = p.max(x, dims=dims, keepdim=True)
    found = p.add(p.log(p.sum(p.exp(p.sub(x, top)), dims=dims, keepdim=True)), top)
    return found if keep else p.squeeze(found, dims=dims or list(range(x.rank)))


def arg(name):
    """The first of several, or with select_last_index the last: the first of those in the other order."""
    def lines(p):
        x, dim, last = p.x(), p.attribute("axis", 0), p.attribute("select_last_index")
        found = p.op(name, [p.flip(x, dims=[dim]) if last else x], {"dim": dim, "keepdim": bool(p.attribute("keepdims", 1))})
        if last:
            found = p.sub(p.sub(p.size_tensor(p.size(x, dim), "i32"), p.number(1, "i32")), found)
        return p.cast(found, dtype="i64")
    return lines


def cumsum(p):
    x, dim = p.x(0), p.numbers(1)
    x = p.flip(x, dims=[dim]) if p.attribute("reverse") else x
    if p.attribute("exclusive"):
        dim %= x.rank
        low = [int(i == dim) for i in range(x.rank)]
        stops = [-1 if one else 2**62 for one in low]
        x = p.pad(p.slice(x, starts=[0] * x.rank, stops=stops, steps=[1] * x.rank), low=low, high=[0] * x.rank, value=0, dtype=x.dtype)
    found = p.cumsum(x, dim=dim)
    return p.flip(found, dims=[dim]) if p.attribute("reverse") else found


def log_softmax(p, dim):
    x = p.x()
    x = p.sub(x, p.max(x, dims=[dim], keepdim=True))
    return p.sub(x, p.log(p.sum(p.exp(x), dims=[dim], keepdim=True)))


def loss(of_scores):
    """Negative log-likelihood of the labels' classes, weighted; an ignored label weighs nothing. The mean is that by weight."""
    def lines(p):
        logs = log_softmax(p, 1) if of_scores else p.x(0)
        labels, zero, ignored = p.x(1), p.number(0, logs.dtype), p.attribute("ignore_index")
        classes = p.reshape(p.iota(sizes=[p.size(logs, 1)], dim=0, dtype=labels.dtype), sizes=[-1] + [1] * (logs.rank - 2))
        chosen = p.eq(p.unsqueeze(labels, dim=1), classes)

        def pick(values):
            return p.sum(p.where(chosen, values, zero), dims=[1])
        weights = pick(p.reshape(p.x(2), sizes=[-1] + [1] * (logs.rank - 2)) if p.has(2) else p.number(1, logs.dtype))
        if ignored is not None:
            weights = p.where(p.eq(labels, p.number(ignored, labels.dtype)), zero, weights)
        found, name = p.mul(p.neg(pick(logs)), weights), p.attribute("reduction", "mean")
        if name != "none":
            found = p.sum(found, dims=[])
        if name == "mean":
            found = p.div(found, p.sum(weights, dims=[]))
        return [found, logs][:len(p.case.results)]
    return lines


def hardmax(p):
    x, dim = p.x(), p.attribute("axis", -1)
    places = p.iota(sizes=p.sizes(x), dim=dim, dtype="i32")
    return p.cast(p.eq(places, p.argmax(x, dim=dim, keepdim=True)), dtype=x.dtype)


def top_k(p):
    values, indices = p.topk(p.x(0), k=p.numbers(1)[0], dim=p.attribute("axis", -1), descending=bool(p.attribute("largest", 1)))
    return [values, p.cast(indices, dtype="i64")]


def layer_norm(p):
    x, w, b, eps = p.x(0), p.x(1), p.x(2), p.attribute("epsilon", 1e-5)
    dims = list(range(p.attribute("axis", -1) % x.rank, x.rank))
    inverse = p.rsqrt(p.add(p.var(x, dims=dims, correction=0, keepdim=True), p.number(eps, x.dtype)))
    return [p.layer_norm(x, w, b, eps=eps), p.mean(x, dims=dims, keepdim=True), inverse]


def batch_norm(p):
    """With training_mode the statistics are the batch's, and the running ones move toward them."""
    x, w, b, m, v = p.inputs()
    eps, momentum = p.attribute("epsilon", 1e-5), p.attribute("momentum", 0.9)
    if not p.attribute("training_mode"):
        return p.batch_norm(x, m, v, w, b, eps=eps)
    dims = [i for i in range(x.rank) if i != 1]
    found = [p.mean(x, dims=dims), p.var(x, dims=dims, correction=0)]
    running = [p.add(scaled(p, old, momentum), scaled(p, new, 1 - momentum)) for old, new in zip((m, v), found)]
    return [p.batch_norm(x, *found, w, b, eps=eps), *running]


def mean_variance(p):
    x, dims = p.x(), list(p.attribute("axes", [0, 2, 3]))
    deviation = p.sqrt(p.var(x, dims=dims, correction=0, keepdim=True))
    return p.div(p.sub(x, p.mean(x, dims=dims, keepdim=True)), p.add(deviation, p.number(1e-9, x.dtype)))


REDUCTIONS = {
    "ReduceSum": reduction("sum"), "ReduceMean": reduction("mean"), "ReduceProd": reduction("prod"), "ReduceMax": reduction("max"),
    "ReduceMin": reduction("min"), "ReduceL1": reduction("sum", lambda p, x: p.abs(x)), "ReduceSumSquare": reduction("sum", square),
    "ReduceL2": reduction("sum", square, lambda p, x: p.sqrt(x)), "ReduceLogSum": reduction("sum", after=lambda p, x: p.log(x)),
    "ReduceLogSumExp": log_sum_exp, "ArgMax": arg("argmax"), "ArgMin": arg("argmin"), "CumSum": cumsum,
    "Softmax": lambda p: p.softmax(p.x(), dim=p.attribute("axis", -1)), "LogSoftmax": lambda p: log_softmax(p, p.attribute("axis", -1)),
    "Hardmax": hardmax, "TopK": top_k, "NegativeLogLikelihoodLoss": loss(False), "SoftmaxCrossEntropyLoss": loss(True),
    "LayerNormalization": layer_norm, "BatchNormalization": batch_norm, "MeanVarianceNormalization": mean_variance,
    "InstanceNormalization": lambda p: p.instance_norm(*p.inputs(), eps=p.attribute("epsilon", 1e-5))}


#===-- movement --------------------------------------------------------------------===#

def flatten(p):
    x, dim = p.x(), p.attribute("axis", 1)
    dim = dim % x.rank if dim < 0 else dim
    sizes = p.sizes(x)
    return p.reshape(x, sizes=[p.product(sizes[:dim]), p.product(sizes[dim:])])


def expand(p):
    """To a shape that broadcasts with the input's: 1 keeps a size."""
    x, to = p.x(0), p.numbers(1)
    to = [1] * (x.rank - len(to)) + to
    return p.expand(x, sizes=[-1 if size == 1 and i >= len(to) - x.rank else size for i, size in enumerate(to)])


def reshape(p):
    """0 keeps a size, but with allowzero."""
    x = p.x(0)
    return p.reshape(x, sizes=[p.size(x, i) if size == 0 and not p.attribute("allowzero") else size
                               for i, size in enumerate(p.numbers(1))])


def slice_(p):
    x, starts, stops = p.x(0), p.numbers(1), p.numbers(2)
    axes, steps = p.numbers(3, list(range(len(starts)))), p.numbers(4, [1] * len(starts))
    whole = [[0, 2**62, 1] for _ in range(x.rank)]
    for axis, *entry in zip(axes, starts, stops, steps):
        whole[axis] = entry
    starts, stops, steps = (list(column) for column in zip(*whole))
    return p.slice(x, starts=starts, stops=stops, steps=steps)


def split(p):
    """Equal parts, or those that the second input has."""
    x, dim, sizes = p.x(0), p.attribute("axis", 0), p.numbers(1)
    found = p.split(x, dim=dim, **({"sizes": sizes} if sizes else {"parts": len(p.case.results)}))
    return found if isinstance(found, list) else [found]


def unsqueeze(p):
    x, dims = p.x(0), p.numbers(1)
    for dim in sorted(d % (x.rank + len(dims)) for d in dims):
        x = p.unsqueeze(x, dim=dim)
    return x


def pad(p):
    x, pads, mode = p.x(0), p.numbers(1), p.attribute("mode", "constant")
    low, high = pads[:x.rank], pads[x.rank:]
    if mode != "constant":
        return p.pad(x, low=low, high=high, mode=mode)
    return p.pad(x, low=low, high=high, value=p.numbers(2, 0), dtype=x.dtype)


def shape(p):
    x = p.x()
    sizes = p.sizes(x)[slice(p.attribute("start"), p.attribute("end"))]
    return p.concatenate(*(p.unsqueeze(p.size_tensor(size, "i64"), dim=0) for size in sizes), dim=0)


def depth_to_space(p):
    x, block = p.x(), p.attribute("blocksize")
    n, c, h, w = p.sizes(x)
    if not all(isinstance(size, int) for size in (c, h, w)):
        raise NeedsNumbers
    if p.attribute("mode", "DCR") == "DCR":
        y = p.permute(p.reshape(x, sizes=[n, block, block, c // block**2, h, w]), permutation=[0, 3, 4, 1, 5, 2])
    else:
        y = p.permute(p.reshape(x, sizes=[n, c // block**2, block, block, h, w]), permutation=[0, 1, 4, 2, 5, 3])
    return p.reshape(y, sizes=[n, c // block**2, h * block, w * block])


def space_to_depth(p):
    x, block = p.x(), p.attribute("blocksize")
    n, c, h, w = p.sizes(x)
    if not all(isinstance(size, int) for size in (c, h, w)):
        raise NeedsNumbers
    y = p.permute(p.reshape(x, sizes=[n, c, h // block, block, w // block, block]), permutation=[0, 3, 5, 1, 2, 4])
    return p.reshape(y, sizes=[n, c * block**2, h // block, w // block])


def trilu(p):
    return p.op("triu" if p.attribute("upper", 1) else "tril", [p.x(0)], {"diagonal": p.numbers(1, 0)})


def constant(p):
    value = p.attribute("value")
    return p.constant(numpy_helper.to_array(value), DTYPES[value.data_type])


def constant_of_shape(p):
    value = p.attribute("value")
    return p.full(sizes=p.numbers(0), value=numpy_helper.to_array(value)[0], dtype=DTYPES[value.data_type])


def eye_like(p):
    x = p.x()
    rows, columns = (p.iota(sizes=p.sizes(x), dim=dim, dtype="i32") for dim in (0, 1))
    return p.cast(p.eq(p.add(rows, p.number(p.attribute("k", 0), "i32")), columns), dtype=p.result_dtype())


def range_(p):
    start, limit, step = (p.numbers(i) for i in range(3))
    count = p.iota(sizes=[max(0, math.ceil((limit - start) / step))], dim=0, dtype=p.result_dtype())
    return p.add(p.mul(count, p.x(2)), p.x(0))


def one_hot(p):
    """Negative indices count from the end."""
    index, depth, dim = p.x(0), int(p.numbers(1)), p.attribute("axis", -1)
    index = p.cast(index, dtype="i32")
    index = p.where(p.lt(index, p.number(0, "i32")), p.add(index, p.number(depth, "i32")), index)
    column, rank = p.unsqueeze(index, dim=dim), index.rank + 1
    dim %= rank
    classes = p.reshape(p.iota(sizes=[depth], dim=0, dtype="i32"), sizes=[depth if i == dim else 1 for i in range(rank)])
    off, on = (p.slice(p.x(2), starts=[i], stops=[i + 1], steps=[1]) for i in (0, 1))
    return p.where(p.eq(column, classes), on, off)


MOVEMENT = {
    "Concat": lambda p: p.concatenate(*p.inputs(), dim=p.attribute("axis")), "Flatten": flatten, "Expand": expand, "Reshape": reshape,
    "Slice": slice_, "Split": split, "Squeeze": lambda p: p.squeeze(p.x(0), dims=p.numbers(1)), "Unsqueeze": unsqueeze, "Pad": pad,
    "Shape": shape, "Size": lambda p: p.size_tensor(p.product(p.sizes(p.x())), "i64"), "DepthToSpace": depth_to_space,
    "SpaceToDepth": space_to_depth, "Tile": lambda p: p.tile(p.x(0), counts=p.numbers(1)), "Trilu": trilu, "Constant": constant,
    "Transpose": lambda p: p.permute(p.x(), permutation=list(p.attribute("perm", range(p.x().rank)[::-1]))),
    "ConstantOfShape": constant_of_shape, "EyeLike": eye_like, "Range": range_, "OneHot": one_hot}


#===-- indexing --------------------------------------------------------------------===#

def wrapped(p, index, size):
    """Negative indices count from the end: as numbers of rows of a flattened tensor they must not."""
    count = p.size_tensor(size, index.dtype)
    return p.where(p.lt(index, p.number(0, index.dtype)), p.add(index, count), index)


def places_along(p, index, sizes, axis):
    """Numbers in the flattened tensor of `sizes` of the elements that `index` names along `axis`."""
    found, stride = None, 1
    for dim in reversed(range(len(sizes))):
        part = wrapped(p, index, sizes[dim]) if dim == axis else p.iota(sizes=p.sizes(index), dim=dim, dtype=index.dtype)
        part = part if stride == 1 else p.mul(part, p.size_tensor(stride, index.dtype))
        found, stride = part if found is None else p.add(found, part), p.product([stride, sizes[dim]])
    return found


def gather_elements(p):
    x, index = p.x(0), p.x(1)
    places = places_along(p, index, p.sizes(x), p.attribute("axis", 0) % x.rank)
    return p.gather(p.reshape(x, sizes=[-1]), places, dim=0)


def rows_of(p, index, sizes, first=0):
    """The last dimension of `index` as one number of a row; sizes are those of the dimensions that it names."""
    found, stride = None, 1
    for k in reversed(range(len(sizes))):
        starts, stops = [0] * (index.rank - 1) + [k], [2**62] * (index.rank - 1) + [k + 1]
        part = p.squeeze(p.slice(index, starts=starts, stops=stops, steps=[1] * index.rank), dims=[-1])
        part = scaled(p, wrapped(p, part, sizes[k]), stride)
        found, stride = part if found is None else p.add(found, part), stride * sizes[k]
    for dim in range(first):
        counts = p.iota(sizes=p.sizes(found), dim=dim, dtype=found.dtype)
        found = p.add(found, scaled(p, counts, stride))
    return found


def gather_nd(p):
    x, index, batch = p.x(0), p.x(1), p.attribute("batch_dims", 0)
    sizes, named = x.shape, batch + index.shape[-1]
    return p.gather(p.reshape(x, sizes=[math.prod(sizes[:named]), *sizes[named:]]), rows_of(p, index, sizes[batch:named], batch), dim=0)


def combined(p, data, places, updates):
    """Rows of `data` with all updates of a row added or multiplied: a row's are chosen by comparing its number."""
    sizes = data.shape
    rank, count = len(sizes), places.shape[0]
    name, neutral = {"add": ("sum", 0), "mul": ("prod", 1)}[p.attribute("reduction")]
    rows = p.reshape(p.iota(sizes=[sizes[0]], dim=0, dtype=places.dtype), sizes=[1, sizes[0]] + [1] * (rank - 1))
    chosen = p.eq(p.reshape(places, sizes=[count] + [1] * rank), rows)
    parts = p.where(chosen, p.unsqueeze(updates, dim=1), p.number(neutral, data.dtype))
    return p.op({"sum": "add", "prod": "mul"}[name], [data, p.op(name, [parts], {"dims": [0]})], {})


def scatter_elements(p):
    x, index, updates = p.x(0), p.x(1), p.x(2)
    sizes = p.sizes(x)
    places, flat = places_along(p, index, sizes, p.attribute("axis", 0) % x.rank), p.reshape(x, sizes=[-1])
    if p.attribute("reduction", "none") == "none":
        found = p.scatter(flat, places, updates, dim=0)
    else:
        found = combined(p, flat, p.reshape(places, sizes=[-1]), p.reshape(updates, sizes=[-1]))
    return p.reshape(found, sizes=sizes)


def scatter_nd(p):
    x, index, updates = p.x(0), p.x(1), p.x(2)
    sizes, named = x.shape, index.shape[-1]
    places, flat = rows_of(p, index, sizes[:named]), p.reshape(x, sizes=[math.prod(sizes[:named]), *sizes[named:]])
    if p.attribute("reduction", "none") == "none":
        return p.reshape(p.scatter(flat, places, updates, dim=0), sizes=sizes)
    return p.reshape(combined(p, flat, places, updates), sizes=sizes)


def reverse_sequence(p):
    """Each sequence up to its length: the element i comes from length - 1 - i."""
    x, time, batch = p.x(0), p.attribute("time_axis", 0), p.attribute("batch_axis", 1)
    lengths = p.reshape(p.x(1), sizes=[p.size(x, i) if i == batch else 1 for i in range(x.rank)])
    i = p.iota(sizes=p.sizes(x), dim=time, dtype="i64")
    index = p.where(p.lt(i, lengths), p.sub(p.sub(lengths, p.number(1, "i64")), i), i)
    return p.gather(p.reshape(x, sizes=[-1]), places_along(p, index, p.sizes(x), time), dim=0)


INDEXING = {"Gather": lambda p: p.gather(p.x(0), p.x(1), dim=p.attribute("axis", 0)), "GatherElements": gather_elements,
            "GatherND": gather_nd, "Scatter": scatter_elements, "ScatterElements": scatter_elements, "ScatterND": scatter_nd,
            "ReverseSequence": reverse_sequence}


#===-- products --------------------------------------------------------------------===#

def gemm(p):
    a, b = (p.transpose(p.x(i), dims=[0, 1]) if p.attribute(name) else p.x(i) for i, name in ((0, "transA"), (1, "transB")))
    found = scaled(p, p.matmul(a, b), p.attribute("alpha", 1.0))
    return p.add(found, scaled(p, p.x(2), p.attribute("beta", 1.0))) if p.has(2) else found


def whole(p, number, zero, dim=None):
    """An input of 8 bits as i32, less its zero point."""
    x = p.cast(p.x(number), dtype="i32")
    return p.sub(x, along(p, p.cast(p.x(zero), dtype="i32"), x, dim)) if p.has(zero) else x


def along(p, vector, x, dim):
    """A vector of the dimension `dim` of x, for operations that broadcast."""
    if vector.rank != 1 or dim is None:
        return vector
    return p.reshape(vector, sizes=[p.size(x, i) if i == dim % x.rank else 1 for i in range(x.rank)])


def quantized(p, x, scale, zero, dim=None):
    """x / scale + zero point in ui8: trace.quantize has i8 and no zero point."""
    quotient = p.round(p.div(x, along(p, scale, x, dim)))
    return p.cast(p.add(quotient, along(p, p.cast(zero, dtype="f32"), x, dim)), dtype="ui8")


def dequantize(p):
    dim = p.attribute("axis", 1)
    x = p.cast(whole(p, 0, 2, dim), dtype="f32")
    return p.mul(x, along(p, p.x(1), x, dim))


def dynamic_quantize(p):
    """The scale is that of the interval of all elements and 0."""
    x, zero, top = p.x(), p.number(0, "f32"), p.number(255, "f32")
    low, high = p.minimum(p.min(x, dims=[]), zero), p.maximum(p.max(x, dims=[]), zero)
    scale = p.div(p.sub(high, low), top)
    point = p.cast(p.round(p.clamp(p.neg(p.div(low, scale)), zero, top)), dtype="ui8")
    return [quantized(p, x, scale, point), scale, point]


def quantized_product(multiply):
    """Exact sums of products, whose scale is that of both operands."""
    def lines(p):
        sums = p.cast(multiply(p, whole(p, 0, 2), whole(p, 3, 5)), dtype="f32")
        return quantized(p, p.mul(sums, p.mul(p.x(1), p.x(4))), p.x(6), p.x(7))
    return lines


def einsum(p):
    """As docs/compositions.md has it; a diagonal is what is left of a sum with all other elements 0."""
    equation = p.attribute("equation").replace(" ", "")
    if equation == "...ii->...i":
        x = p.x()
        rows, columns = (p.iota(sizes=p.sizes(x)[-2:], dim=dim, dtype="i32") for dim in (0, 1))
        return p.sum(p.where(p.eq(rows, columns), x, p.number(0, x.dtype)), dims=[-1])
    return {"ij->ji": lambda: p.permute(p.x(), permutation=[1, 0]), "ij->i": lambda: p.sum(p.x(), dims=[1]),
            "i,i": lambda: p.matmul(p.x(0), p.x(1)), "bij,bjk->bik": lambda: p.matmul(p.x(0), p.x(1))}[equation]()


PRODUCTS = {"MatMul": lambda p: p.matmul(p.x(0), p.x(1)), "Gemm": gemm, "Einsum": einsum,
            "MatMulInteger": lambda p: p.matmul(whole(p, 0, 2), whole(p, 1, 3)),
            "QLinearMatMul": quantized_product(lambda p, a, b: p.matmul(a, b)),
            "QLinearConv": quantized_product(lambda p, a, b: p.convolution(a, b)),
            "ConvInteger": lambda p: WINDOWS["Conv"](p, whole(p, 0, 2), whole(p, 1, 3)),
            "QuantizeLinear": lambda p: quantized(p, p.x(0), p.x(1), p.x(2), p.attribute("axis", 1)),
            "DequantizeLinear": dequantize, "DynamicQuantizeLinear": dynamic_quantize}

TABLE = {**ELEMENTWISE, **REDUCTIONS, **MOVEMENT, **INDEXING, **PRODUCTS, **WINDOWS}


#===-- what is left out ------------------------------------------------------------===#

# Operations, by the reason.
LEFT_OUT = {
    "the shape depends on data": ("Compress", "NonZero", "Unique", "NonMaxSuppression"),
    "strings": ("StringNormalizer", "TfIdfVectorizer"),
    "control flow": ("If", "Loop", "Scan"),
    "sequences and optional values": ("OptionalGetElement", "OptionalHasElement", "SequenceInsert", "SequenceMap"),
    "training": ("Adagrad", "Adam", "Momentum"),
    "random numbers, of which ONNX does not say the generator": ("Bernoulli",),
    "recurrent layers: whoever traces a program unrolls them": ("GRU", "LSTM", "RNN"),
    "not an operation of Tripy": ("DFT", "STFT", "Det", "GridSample", "MelWeightMatrix", "RoiAlign")}
REASONS = {op: reason for reason, names in LEFT_OUT.items() for op in names}
# Cases, by the reason.
CASES = {
    "indices of what is pooled: trace.maxpool has no second result": ("maxpool_with_argmax_2d_precomputed_pads",
                                                                "maxpool_with_argmax_2d_precomputed_strides"),
    "training": ("training_dropout_default", "training_dropout_default_mask", "training_dropout", "training_dropout_mask"),
    "ONNX 1.12 cuts bits off when it converts to bfloat16; trace.cast rounds to nearest even": (
        "cast_FLOAT_to_BFLOAT16", "castlike_FLOAT_to_BFLOAT16", "castlike_FLOAT_to_BFLOAT16_expanded"),
    "trace.resize has no regions": ("resize_tf_crop_and_resize",),
    "trace.resize has the kernel of -0.75, and no weights of 0 outside": ("resize_upsample_scales_cubic_A_n0p5_exclude_outside",
                                                                    "resize_downsample_scales_cubic_A_n0p5_exclude_outside"),
    "trace.resize rounds nearest positions in one way": (
        "resize_upsample_sizes_nearest_floor_align_corners", "resize_upsample_sizes_nearest_round_prefer_ceil_asymmetric",
        "resize_upsample_sizes_nearest_ceil_half_pixel"),
    "ONNX 1.12 aligns the corners of a result whose size is a fraction; trace.resize those of the result that there is": (
        "resize_downsample_scales_linear_align_corners", "resize_downsample_scales_cubic_align_corners")}
CASE_REASONS = {name: reason for reason, names in CASES.items() for name in names}


def reason_of(case):
    """Why a case is left out, or ""."""
    if case.nodes != 1:
        return "several nodes: the expansion of another case"
    if case.op in REASONS:
        return REASONS[case.op]
    used = [case.kinds[name] for name in (*case.node.input, *case.results) if name]
    if None in used:
        return "sequences and optional values"
    if "" in used:
        return "unsigned integers of more than 8 bits, and strings: not an element type of Tripy"
    return CASE_REASONS.get(case.name, "")

"""What the layers of networks.py compute, twice: in NumPy from their formulas, and by PyTorch's own functions.

Both take and return NumPy arrays of float64. An image is (N, C, H, W), a weight as PyTorch stores it.
"""
import numpy as np


def windows(x, kernel, stride, low, high, fill):
    """(..., H', W', kh, kw) of an image (..., H, W)."""
    pads = [(0, 0)] * (x.ndim - 2) + [(low, high)] * 2
    view = np.lib.stride_tricks.sliding_window_view(np.pad(x, pads, constant_values=fill), (kernel, kernel), axis=(-2, -1))
    return view[..., ::stride, ::stride, :, :]


def normalized(v, eps=1e-5):
    return (v - v.mean(-1, keepdims=True)) / np.sqrt(v.var(-1, keepdims=True) + eps)


class NumpyLayers:
    """From the formulas."""
    unary = {"relu": lambda v: np.maximum(v, 0), "silu": lambda v: v / (1 + np.exp(-v)), "cos": np.cos, "sin": np.sin,
             "gelu": lambda v: 0.5 * v * (1 + np.tanh(np.sqrt(2 / np.pi) * (v + 0.044715 * v**3))), "neg": np.negative}

    @staticmethod
    def linear(x, w, b=None):
        return x @ w.T + (0 if b is None else b)

    @staticmethod
    def convolution(x, w, b, stride, pad):
        value = np.einsum("nchwij,ocij->nohw", windows(x, w.shape[-1], stride, pad, pad, 0), w, optimize=True)
        return value + (0 if b is None else b[:, None, None])

    @staticmethod
    def maxpool(x, kernel, stride, pad):
        return windows(x, kernel, stride, pad, pad, -np.inf).max(axis=(-2, -1))

    @staticmethod
    def batch_norm(x, mean, variance, scale, bias):
        m, v, s, b = (t[:, None, None] for t in (mean, variance, scale, bias))
        return (x - m) / np.sqrt(v + 1e-5) * s + b

    @staticmethod
    def group_norm(x, groups, scale, bias):
        parts = normalized(x.reshape(x.shape[0], groups, -1))
        return parts.reshape(x.shape) * scale[:, None, None] + bias[:, None, None]

    @staticmethod
    def layer_norm(x, scale, bias):
        return normalized(x) * scale + bias

    @staticmethod
    def rms_norm(x, scale):
        return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5) * scale

    @staticmethod
    def twice(x):
        return x.repeat(2, axis=2).repeat(2, axis=3)

    @staticmethod
    def attention(q, k, v, hidden=None):
        group = q.shape[1] // k.shape[1]
        k, v = k.repeat(group, axis=1), v.repeat(group, axis=1)
        scores = q @ k.swapaxes(2, 3) / np.sqrt(q.shape[-1])
        if hidden is not None:
            scores = np.where(hidden, -np.inf, scores)
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        return scores / scores.sum(-1, keepdims=True) @ v


def torch_layers():
    """The same by torch.nn.functional; None without PyTorch 2.4 or later."""
    try:
        import torch
        import torch.nn.functional as F
    except ImportError:
        return None
    if not hasattr(F, "rms_norm"):
        return None

    def numbers(function):
        """`function` of tensors, as one of arrays."""
        def call(*arguments):
            with torch.no_grad():
                return function(*(torch.from_numpy(np.ascontiguousarray(a)) if isinstance(a, np.ndarray) else a
                                  for a in arguments)).numpy()
        return call

    def attend(q, k, v, hidden=None):
        group = q.shape[1] // k.shape[1]
        k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=None if hidden is None else ~hidden)

    class TorchLayers:
        """PyTorch's functions."""
        unary = {name: numbers(f) for name, f in
                 (("relu", F.relu), ("silu", F.silu), ("cos", torch.cos), ("sin", torch.sin),
                  ("gelu", lambda x: F.gelu(x, approximate="tanh")), ("neg", torch.neg))}
        linear = staticmethod(numbers(F.linear))
        convolution = staticmethod(numbers(lambda x, w, b, stride, pad: F.conv2d(x, w, b, stride, pad)))
        maxpool = staticmethod(numbers(lambda x, kernel, stride, pad: F.max_pool2d(x, kernel, stride, pad)))
        batch_norm = staticmethod(numbers(lambda x, mean, variance, scale, bias: F.batch_norm(x, mean, variance, scale, bias)))
        group_norm = staticmethod(numbers(lambda x, groups, scale, bias: F.group_norm(x, groups, scale, bias)))
        layer_norm = staticmethod(numbers(lambda x, scale, bias: F.layer_norm(x, x.shape[-1:], scale, bias)))
        rms_norm = staticmethod(numbers(lambda x, scale: F.rms_norm(x, x.shape[-1:], scale, 1e-5)))
        twice = staticmethod(numbers(lambda x: F.interpolate(x, scale_factor=2)))
        attention = staticmethod(numbers(attend))
    return TorchLayers

//===- TensorPrinter.h - Tensors as text ------------------------*- C++ -*-===//
//
// Prints tensors the way users of Tripy know them. For the tools and the
// frontend; depends on Base and TensorView.h only.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_RUNTIME_IO_TENSORPRINTER_H
#define TRIPY_RUNTIME_IO_TENSORPRINTER_H

#include "tripy/Runtime/TensorView.h"

#include <string>
#include <string_view>

namespace tripy::io {

/// The elements alone: "[1.5000, 2.5000]". Floats have four decimals, integers
/// all digits, bools are True and False. Tensors of more than 40 elements show
/// the first and last three of each dimension. `tensor` is in host memory.
std::string formatElements(const runtime::TensorView &tensor);

/// "gpu:0" or "cpu:0".
std::string formatLocation(DeviceKind device, int32_t ordinal);

/// "tensor([1.5000, 2.5000], dtype=float32, loc=gpu:0, shape=(2,))"; on
/// several lines when the rank exceeds 1 and some dimension exceeds 1.
/// `tensor` is in host memory; `location` is where it is said to be.
std::string formatTensor(const runtime::TensorView &tensor,
                         std::string_view location);

} // namespace tripy::io

#endif // TRIPY_RUNTIME_IO_TENSORPRINTER_H

//===- InputCheck.h - What a user may pass to a program ---------*- C++ -*-===//
//
// Checks of tensors against a program's signature. Each failure is one
// sentence that names tensor, dimension, allowed range and found value. No
// function allocates when its check holds. Private to lib/Runtime.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_RUNTIME_INPUTCHECK_H
#define TRIPY_LIB_RUNTIME_INPUTCHECK_H

#include "tripy/Base/Program.h"
#include "tripy/Base/Status.h"
#include "tripy/Runtime/TensorView.h"

#include <span>
#include <string>
#include <string_view>

namespace tripy::runtime {

/// Element type, rank and sizes of input number `index`; stores the value of
/// each of its dynamic dimensions in `symbols`, unless that is empty. The value
/// of an input that is a size is read; it may be missing when `symbols` is
/// empty.
Status checkInput(const Program &program, TableIndex index,
                  const TensorView &tensor, std::span<int64_t> symbols,
                  bool showSource);

/// Dimensions of the same name have the same size. `sameAs` holds, for each
/// symbol, the first one of its name, or itself.
Status checkNamedDims(const Program &program,
                      std::span<const TableIndex> sameAs,
                      std::span<const int64_t> symbols, bool showSource);

/// The program's own conditions on sizes.
Status checkSizes(const Program &program, std::span<const int64_t> sizes,
                  bool showSource);

/// Element type and exact shape of output number `index`.
Status checkOutput(const Program &program, TableIndex index,
                   const TensorView &tensor, std::span<const int64_t> sizes);

/// Data pointer and device of a tensor that passed the checks above; `kind`
/// and `ordinal` are the program's device, `what` starts the message:
/// "input 'x'".
Status checkPlace(const TensorView &tensor, DeviceKind kind, int32_t ordinal,
                  std::string_view what, std::string_view name);

} // namespace tripy::runtime

#endif // TRIPY_LIB_RUNTIME_INPUTCHECK_H

//===- TensorSpec.h - Tensors named on the command line ---------*- C++ -*-===//
//
// Makes a tensor from a specification such as "ones:3x2", "@x.npy" or
// "2x3xf32=1,2,3,4,5,6". Private to tripy-run and its tests.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TOOLS_TRIPYRUN_TENSORSPEC_H
#define TRIPY_TOOLS_TRIPYRUN_TENSORSPEC_H

#include "tripy/Base/Program.h"
#include "tripy/Base/Status.h"
#include "tripy/Runtime/TensorView.h"

#include <functional>
#include <string>
#include <string_view>

namespace tripy::run {

/// Asked for type and shape before memory is taken for the elements; may be
/// empty.
using TensorCheck = std::function<Status(DType, const runtime::Shape &)>;

/// What the program expects of the tensor, for specifications that leave
/// something out.
struct Wanted {
  DType dtype = DType::F32;
  runtime::Shape shape;
  /// A plain number is the value: "7".
  bool isSize = false;
  /// Asked before memory is taken for a tensor of another type or shape.
  TensorCheck check;
};

/// Makes the tensor. `seed` feeds 'random': the same seed and shape give the
/// same values everywhere. Errors: InvalidArgument (grammar), and those of the
/// readers.
Result<runtime::HostTensor> makeTensor(std::string_view spec,
                                       const Wanted &wanted, uint64_t seed);

/// Reads "@file.npy", "@file.npz:key" or "@file.safetensors:key". `dtype` says
/// what raw elements of a .npy file are.
Result<runtime::HostTensor> readTensor(std::string_view spec, DType dtype,
                                       const TensorCheck &check);

/// The file that "@file.npz:key" and its kin name; empty for other texts.
std::string fileOf(std::string_view spec);

} // namespace tripy::run

#endif // TRIPY_TOOLS_TRIPYRUN_TENSORSPEC_H

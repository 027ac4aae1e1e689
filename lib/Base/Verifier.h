//===- Verifier.h - State of one verification -------------------*- C++ -*-===//
//
// Private to lib/Base: Verify.cpp checks sizes and the interface,
// VerifyLaunch.cpp memory, kernels and launches, VerifyProduct.cpp products,
// VerifyWork.cpp what launches have to do.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_BASE_VERIFIER_H
#define TRIPY_LIB_BASE_VERIFIER_H

#include "tripy/Base/SizeExpr.h"
#include "tripy/Base/Text.h"
#include "tripy/Base/Verify.h"

#include <string>
#include <string_view>
#include <vector>

namespace tripy {

class Verifier {
public:
  Verifier(const Program &program, const ProgramLimits &limits,
           uint64_t constantBytes)
      : program(program), limits(limits), constantBytes(constantBytes) {}
  Status run();

private:
  // Verify.cpp
  Status checkCounts() const;
  Status checkFrames() const;
  Status checkCaller(TableIndex caller, size_t number) const;
  Status checkWhys() const;
  Status checkSymbols() const;
  Status checkSymbol(size_t number) const;
  Status checkSizeChecks() const;
  Status checkInputs();
  Status checkInputDims(size_t number) const;
  Status checkSizeInput(size_t number) const;
  Status checkOutputs();
  Status checkNames(const std::vector<std::string_view> &names,
                    std::string_view what) const;
  Status checkText(std::string_view text, uint32_t limit,
                   std::string_view what) const;
  Status checkWhy(TableIndex why, std::string_view what) const;
  /// Largest bytes of a tensor over the profile.
  Status maxBytes(DType dtype, const std::vector<TableIndex> &dims,
                  std::string_view what, uint64_t &bytes) const;

  // VerifyLaunch.cpp
  Status checkBuffers();
  Status checkBuffer(size_t number);
  Status checkImages() const;
  Status checkImage(const Image &image, const std::string &what) const;
  Status checkKernels() const;
  Status checkLibrary(const Kernel &kernel, const std::string &what) const;
  Status checkKernel(const Kernel &kernel, const std::string &what) const;
  Status checkTensorMaps() const;
  Status checkTensorMap(size_t number) const;
  Status checkLaunches();
  Status checkGrid(const Launch &launch, const std::string &what) const;
  Status checkNumber(const Arg &arg, const std::string &what) const;
  Status checkArgs(const Launch &launch, const std::string &what);
  Status checkAccess(const Launch &launch, size_t access, TableIndex buffer,
                     const std::string &what);
  Status checkAliases(const Launch &launch, const std::string &what) const;
  /// The range of an expression, when there is one of this number.
  Status boundOf(TableIndex expr, std::string_view what, Interval &bound) const;

  // VerifyWork.cpp
  Status checkWork(const Launch &launch, const std::string &what) const;

  // VerifyProduct.cpp
  Status checkProducts() const;
  /// That what a library would touch is what the launch touches.
  Status checkLaunchProduct(const Launch &launch,
                            const std::string &what) const;
  Status checkProductTensor(const Launch &launch, TableIndex position,
                            std::string_view name, uint64_t bytes, bool writes,
                            const std::string &what) const;

  Status malformed(std::string message) const {
    return Status(Code::Malformed, std::move(message));
  }
  bool isCuda() const { return program.device == DeviceKind::CUDA; }

  const Program &program;
  const ProgramLimits &limits;
  uint64_t constantBytes;
  std::vector<Interval> bounds;
  /// Largest bytes of each input, output and buffer over the profile.
  std::vector<uint64_t> inputBytes, outputBytes, capacity;
  std::vector<bool> outputWritten;
  /// Reused between launches.
  mutable std::vector<TableIndex> launchBuffers;
};

/// Buffer that a pointer-like argument refers to. The argument is valid.
inline TableIndex argumentBuffer(const Program &program, const Arg &arg) {
  return arg.kind == ArgKind::TensorMap ? program.tensorMaps[arg.index].buffer
                                        : arg.index;
}

} // namespace tripy

#endif // TRIPY_LIB_BASE_VERIFIER_H

//===- Harness.h - Running small flatir programs in tests -------*- C++ -*-===//
//
// Parses the text of a program, evaluates its function @main, and keeps the
// text of errors. For the tests of lib/Reference.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_UNITTESTS_REFERENCE_HARNESS_H
#define TRIPY_UNITTESTS_REFERENCE_HARNESS_H

#include "tripy/Base/Float.h"
#include "tripy/Dialect/FlatIR/FlatIR.h"
#include "tripy/Reference/Evaluator.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>

namespace tripy::reference {

/// A tensor with the values rounded to `dtype`.
inline Tensor make(DType dtype, llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<double> values) {
  Tensor tensor = *Tensor::create(dtype, shape);
  EXPECT_EQ(size_t(tensor.elements()), values.size());
  for (size_t i = 0; i < values.size(); ++i)
    storeFromDouble(dtype, tensor.mutableData(), i, values[i]);
  return tensor;
}

inline Tensor makeI64(llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<int64_t> values) {
  Tensor tensor = *Tensor::create(DType::I64, shape);
  EXPECT_EQ(size_t(tensor.elements()), values.size());
  llvm::copy(values, static_cast<int64_t *>(tensor.mutableData()));
  return tensor;
}

/// Equal numbers (0 and -0 differ), or both NaN.
inline bool same(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

inline void expectTensor(const Tensor &found, DType dtype,
                         llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<double> values) {
  EXPECT_EQ(dtypeName(found.dtype()), dtypeName(dtype));
  ASSERT_EQ(found.shape(), shape);
  ASSERT_EQ(size_t(found.elements()), values.size());
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_TRUE(same(found.toDouble(i), values[i]))
        << "element " << i << " is " << found.toDouble(i) << ", expected "
        << values[i];
}

class ReferenceTest : public ::testing::Test {
protected:
  ReferenceTest()
      : handler(&context, [this](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
            errors += diagnostic.str() + "\n";
          return mlir::success();
        }) {
    context.loadDialect<flatir::FlatIRDialect, mlir::func::FuncDialect,
                        mlir::arith::ArithDialect>();
    context.printOpOnDiagnostic(false);
  }

  mlir::func::FuncOp parse(llvm::StringRef text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << errors;
    return module ? module->lookupSymbol<mlir::func::FuncOp>("main")
                  : mlir::func::FuncOp();
  }

  /// The results of @main of `text`; none, with `errors`, when it fails.
  llvm::SmallVector<Tensor> run(llvm::StringRef text,
                                llvm::ArrayRef<Tensor> inputs,
                                const EvaluateOptions &options = {}) {
    errors.clear();
    mlir::func::FuncOp function = parse(text);
    if (!function)
      return {};
    auto results = evaluate(function, inputs, options);
    return mlir::failed(results) ? llvm::SmallVector<Tensor>() : *results;
  }

  /// The one result of a program that must succeed.
  Tensor runOne(llvm::StringRef text, llvm::ArrayRef<Tensor> inputs) {
    llvm::SmallVector<Tensor> results = run(text, inputs);
    EXPECT_EQ(results.size(), 1u) << errors;
    return results.empty() ? *Tensor::create(DType::F32, {0}) : results[0];
  }

  mlir::MLIRContext context;
  std::string errors;
  mlir::ScopedDiagnosticHandler handler;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace tripy::reference

#endif // TRIPY_UNITTESTS_REFERENCE_HARNESS_H

//===- VersionsTest.cpp - Dynamic rows against rows that are known --------===//
//
// For contractions drawn at random: whether the version of a kernel that a
// number of rows runs with is nearly as fast, by the model, as what a program
// of that number of rows gets.
//
//===----------------------------------------------------------------------===//

#include "Codegen/CUDA/Schedule/ScheduleModel.h"
#include "Codegen/CUDA/Schedule/Schedules.h"

#include "tripy/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"

#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

namespace {

/// A linear layer of `n` columns; rows are "?" from 1 on, or known.
struct Linear {
  StringRef type;
  int64_t n, k;

  std::string text(StringRef rows, int64_t usual, int64_t most) const {
    bool isDynamic = rows == "?";
    return llvm::formatv(
               R"(
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
kernel.func @dot gemm sizeArgs = [{0}] {{{1}} : (tensor<{2}x{3}x{4}>, tensor<{5}x{3}x{4}>{6}) -> tensor<{2}x{5}xf32> {{
^bb0(%x: tensor<{2}x{3}x{4}>, %w: tensor<{5}x{3}x{4}>{7}):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty({8}) : tensor<{2}x{5}xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<{2}x{5}xf32>) -> tensor<{2}x{5}xf32>
  %0 = linalg.generic {{indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<{2}x{3}x{4}>, tensor<{5}x{3}x{4}>) outs(%f : tensor<{2}x{5}xf32>) {{
  ^bb0(%l: {4}, %r: {4}, %o: f32):
    {9}
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<{2}x{5}xf32>
  kernel.yield %0 : tensor<{2}x{5}xf32>
})",
               isDynamic ? "2, 2" : "",
               isDynamic ? llvm::formatv("sizes = #kernel.sizes<[1, {0}, {1}]>",
                                         usual, most)
                               .str()
                         : "",
               rows, k, type, n, isDynamic ? ", index" : "",
               isDynamic ? ", %n: index" : "", isDynamic ? "%n" : "",
               type == "f32" ? "%3 = arith.mulf %l, %r : f32"
                             : "%1 = arith.extf %l : f16 to f32\n"
                               "%2 = arith.extf %r : f16 to f32\n"
                               "%3 = arith.mulf %1, %2 : f32")
        .str();
  }
};

class Versions : public ::testing::Test {
protected:
  Versions() {
    context.loadDialect<arith::ArithDialect, linalg::LinalgDialect,
                        tensor::TensorDialect, kernel::KernelDialect>();
  }

  OwningOpRef<ModuleOp> parse(const std::string &text) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    return module;
  }

  static kernel::FuncOp kernelOf(ModuleOp module) {
    return *module.getOps<kernel::FuncOp>().begin();
  }

  /// Cycles of a program for `rows` rows alone.
  std::optional<double> staticCycles(const Linear &layer, int64_t rows) {
    OwningOpRef<ModuleOp> module =
        parse(layer.text(std::to_string(rows), rows, rows));
    kernel::FuncOp kernel = kernelOf(*module);
    std::string reported;
    EXPECT_TRUE(succeeded(trySchedule(kernel, chip, {}, reported)));
    return ScheduleModel(kernel, chip).cycles(kernel.getScheduleAttr());
  }

  /// Cycles of the version that is for `rows` rows.
  std::optional<double> versionCycles(ModuleOp module, int64_t rows) {
    for (auto kernel : module.getOps<kernel::FuncOp>()) {
      kernel::GuardAttr guard = kernel.getGuardAttr();
      if (guard && (rows < guard.getLeast() || rows > guard.getMost()))
        continue;
      AffineExpr size = getAffineSymbolExpr(0, &context);
      kernel.setGuardAttr(kernel::GuardAttr::get(
          &context, AffineMap::get(0, 1, size), rows, rows));
      std::optional<double> cycles =
          ScheduleModel(kernel, chip).cycles(kernel.getScheduleAttr());
      if (guard)
        kernel.setGuardAttr(guard);
      else
        kernel.removeGuardAttr();
      return cycles;
    }
    ADD_FAILURE() << "no version for " << rows << " rows";
    return std::nullopt;
  }

  MLIRContext context;
  const CudaChip &chip = CudaChip::of("sm_90a");
};

TEST_F(Versions, AreNearlyAsFastAsProgramsOfOneSize) {
  std::mt19937_64 random(7);
  auto draw = [&](double least, double most) {
    double at = std::uniform_real_distribution<>(std::log(least),
                                                 std::log(most))(random);
    return int64_t(std::exp(at));
  };
  for (StringRef type : {"f16", "f32"}) {
    std::vector<double> ratios;
    for (int draws = 0; draws < 30; ++draws) {
      Linear layer{type, 8 * draw(8, 2048), 8 * draw(8, 1024)};
      int64_t most = draw(64, 16384), usual = draw(1, double(most));
      OwningOpRef<ModuleOp> module = parse(layer.text("?", usual, most));
      SymbolTable symbols(*module);
      ASSERT_TRUE(
          succeeded(chooseVersions(kernelOf(*module), chip, {}, symbols)));
      for (int sizes = 0; sizes < 10; ++sizes) {
        int64_t rows = draw(1, double(most));
        auto dynamic = versionCycles(*module, rows);
        auto known = staticCycles(layer, rows);
        if (!dynamic || !known)
          continue; // What streams the matrix has no model.
        ratios.push_back(*dynamic / *known);
      }
    }
    llvm::sort(ratios);
    auto quantile = [&](double at) {
      return ratios[size_t(at * double(ratios.size() - 1))];
    };
    // Nothing is cut as a program of one size may be: by stream-K, say.
    EXPECT_LE(quantile(0.5), 1.05) << type.str();
    EXPECT_LE(quantile(0.9), 1.15) << type.str();
    EXPECT_LE(quantile(0.95), 1.2) << type.str();
    EXPECT_LE(quantile(1), 1.4) << type.str();
  }
}

} // namespace

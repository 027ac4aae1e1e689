//===- GridPrograms.cpp - A program for each upstream operation -----------===//

#include "GridPrograms.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace tripy::test;

namespace {

/// An operation of the form `op attributes ins(...) outs(...)`; shapes are
/// "2x3" and "" is a scalar's tensor.
struct Structured {
  StringLiteral operation;
  StringLiteral inputs; ///< Shapes, by spaces; "." is a scalar of i32.
  StringLiteral output;
  StringLiteral attributes = "";
};

} // namespace

/// Elementwise ones first, then contractions, convolutions and pooling.
static constexpr Structured structured[] = {
    {"abs", "2x3", "2x3"},
    {"add", "2x3 2x3", "2x3"},
    {"ceil", "2x3", "2x3"},
    {"copy", "2x3", "2x3"},
    {"div", "2x3 2x3", "2x3"},
    {"div_unsigned", "2x3 2x3", "2x3"},
    {"elementwise", "2x3", "2x3", "kind=#linalg.elementwise_kind<exp>"},
    {"elementwise", "2x3 2x3", "2x3", "kind=#linalg.elementwise_kind<sub>"},
    {"erf", "2x3", "2x3"},
    {"exp", "2x3", "2x3"},
    {"floor", "2x3", "2x3"},
    {"log", "2x3", "2x3"},
    {"max", "2x3 2x3", "2x3"},
    {"min", "2x3 2x3", "2x3"},
    {"mul", "2x3 2x3", "2x3"},
    {"negf", "2x3", "2x3"},
    {"powf", "2x3 2x3", "2x3"},
    {"reciprocal", "2x3", "2x3"},
    {"round", "2x3", "2x3"},
    {"rsqrt", "2x3", "2x3"},
    {"sqrt", "2x3", "2x3"},
    {"square", "2x3", "2x3"},
    {"sub", "2x3 2x3", "2x3"},
    {"tanh", "2x3", "2x3"},
    {"batch_matmul", "2x3x4 2x4x5", "2x3x5"},
    {"batch_matvec", "2x3x4 2x4", "2x3"},
    {"batch_mmt4d", "2x2x3x4x5 2x2x3x6x5", "2x2x2x4x6"},
    {"batch_reduce_matmul", "2x3x4 2x4x5", "3x5"},
    {"batch_vecmat", "2x3 2x3x4", "2x4"},
    {"contract", "3x4 4x5", "3x5",
     "indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) "
     "-> (k, n)>, affine_map<(m, n, k) -> (m, n)>]"},
    {"dot", "3 3", ""},
    {"matmul", "2x3 3x4", "2x4"},
    {"matvec", "2x3 3", "2"},
    {"mmt4d", "2x3x4x5 2x3x6x5", "2x2x4x6"},
    {"quantized_batch_matmul", "2x3x4 2x4x5 . .", "2x3x5"},
    {"quantized_matmul", "2x3 3x4 . .", "2x4"},
    {"vecmat", "3 3x4", "4"},
    {"conv_1d", "6 3", "4"},
    {"conv_1d_ncw_fcw", "1x2x6 4x2x3", "1x4x4"},
    {"conv_1d_nwc_wcf", "1x6x2 3x2x4", "1x4x4"},
    {"conv_2d", "5x6 3x3", "3x4"},
    {"conv_2d_nchw_fchw", "1x2x5x6 4x2x3x3", "1x4x3x4"},
    {"conv_2d_nchw_fchw_q", "1x2x5x6 4x2x3x3 . .", "1x4x3x4"},
    {"conv_2d_ngchw_fgchw", "1x2x3x5x6 4x2x3x3x3", "1x2x4x3x4"},
    {"conv_2d_ngchw_gfchw", "1x2x3x5x6 2x4x3x3x3", "1x2x4x3x4"},
    {"conv_2d_ngchw_gfchw_q", "1x2x3x5x6 2x4x3x3x3 . .", "1x2x4x3x4"},
    {"conv_2d_nhwc_fhwc", "1x5x6x2 4x3x3x2", "1x3x4x4"},
    {"conv_2d_nhwc_fhwc_q", "1x5x6x2 4x3x3x2 . .", "1x3x4x4"},
    {"conv_2d_nhwc_hwcf", "1x5x6x2 3x3x2x4", "1x3x4x4"},
    {"conv_2d_nhwc_hwcf_q", "1x5x6x2 3x3x2x4 . .", "1x3x4x4"},
    {"conv_2d_nhwgc_gfhwc", "1x5x6x2x3 2x4x3x3x3", "1x3x4x2x4"},
    {"conv_2d_nhwgc_gfhwc_q", "1x5x6x2x3 2x4x3x3x3 . .", "1x3x4x2x4"},
    {"conv_3d", "4x5x6 2x3x3", "3x3x4"},
    {"conv_3d_ncdhw_fcdhw", "1x2x4x5x6 3x2x2x3x3", "1x3x3x3x4"},
    {"conv_3d_ndhwc_dhwcf", "1x4x5x6x2 2x3x3x2x3", "1x3x3x4x3"},
    {"conv_3d_ndhwc_dhwcf_q", "1x4x5x6x2 2x3x3x2x3 . .", "1x3x3x4x3"},
    {"depthwise_conv_1d_ncw_cw", "1x2x6 2x3", "1x2x4"},
    {"depthwise_conv_1d_nwc_wc", "1x6x2 3x2", "1x4x2"},
    {"depthwise_conv_1d_nwc_wcm", "1x6x2 3x2x3", "1x4x2x3"},
    {"depthwise_conv_2d_nchw_chw", "1x2x5x6 2x3x3", "1x2x3x4"},
    {"depthwise_conv_2d_nhwc_hwc", "1x5x6x2 3x3x2", "1x3x4x2"},
    {"depthwise_conv_2d_nhwc_hwc_q", "1x5x6x2 3x3x2 . .", "1x3x4x2"},
    {"depthwise_conv_2d_nhwc_hwcm", "1x5x6x2 3x3x2x3", "1x3x4x2x3"},
    {"depthwise_conv_2d_nhwc_hwcm_q", "1x5x6x2 3x3x2x3 . .", "1x3x4x2x3"},
    {"depthwise_conv_3d_ncdhw_cdhw", "1x2x4x5x6 2x2x3x3", "1x2x3x3x4"},
    {"depthwise_conv_3d_ndhwc_dhwc", "1x4x5x6x2 2x3x3x2", "1x3x3x4x2"},
    {"depthwise_conv_3d_ndhwc_dhwcm", "1x4x5x6x2 2x3x3x2x3", "1x3x3x4x2x3"},
    {"pooling_nchw_max", "1x2x5x6 3x3", "1x2x3x4"},
    {"pooling_nchw_sum", "1x2x5x6 3x3", "1x2x3x4"},
    {"pooling_ncw_max", "1x2x6 3", "1x2x4"},
    {"pooling_ncw_sum", "1x2x6 3", "1x2x4"},
    {"pooling_ndhwc_max", "1x4x5x6x2 2x3x3", "1x3x3x4x2"},
    {"pooling_ndhwc_min", "1x4x5x6x2 2x3x3", "1x3x3x4x2"},
    {"pooling_ndhwc_sum", "1x4x5x6x2 2x3x3", "1x3x3x4x2"},
    {"pooling_nhwc_max", "1x5x6x2 3x3", "1x3x4x2"},
    {"pooling_nhwc_max_unsigned", "1x5x6x2 3x3", "1x3x4x2"},
    {"pooling_nhwc_min", "1x5x6x2 3x3", "1x3x4x2"},
    {"pooling_nhwc_min_unsigned", "1x5x6x2 3x3", "1x3x4x2"},
    {"pooling_nhwc_sum", "1x5x6x2 3x3", "1x3x4x2"},
    {"pooling_nwc_max", "1x6x2 3", "1x4x2"},
    {"pooling_nwc_max_unsigned", "1x6x2 3", "1x4x2"},
    {"pooling_nwc_min", "1x6x2 3", "1x4x2"},
    {"pooling_nwc_min_unsigned", "1x6x2 3", "1x4x2"},
    {"pooling_nwc_sum", "1x6x2 3", "1x4x2"},
    {"winograd_filter_transform", "2x3x3x5", "6x6x5x2",
     "fmr(#linalg.winograd_conv_2d_fmr<F_4_3>)"},
    {"winograd_input_transform", "2x10x10x5", "6x6x2x2x2x5",
     "fmr(#linalg.winograd_conv_2d_fmr<F_4_3>)"},
    {"winograd_output_transform", "6x6x2x2x2x2", "2x8x8x2",
     "fmr(#linalg.winograd_conv_2d_fmr<F_4_3>)"},
};

/// Others: the body of a function of %x and %y, tensor<2x3x$T>, %s, $T, and
/// %e, tensor<2x3x$T> without elements, that returns %r; and the type of %r.
static constexpr struct {
  StringLiteral operation, result, body;
} others[] = {
    {"linalg.broadcast", "4x2x3x$T",
     "%i = tensor.empty() : tensor<4x2x3x$T>\n"
     "%r = linalg.broadcast ins(%x : tensor<2x3x$T>) outs(%i : "
     "tensor<4x2x3x$T>) dimensions = [0]"},
    {"linalg.fill", "2x3x$T",
     "%r = linalg.fill ins(%s : $T) outs(%e : tensor<2x3x$T>) -> "
     "tensor<2x3x$T>"},
    {"linalg.fill_rng_2d", "2x3x$T",
     "%low = arith.constant 0.0 : f64\n%seed = arith.constant 7 : i32\n"
     "%r = linalg.fill_rng_2d ins(%low, %low, %seed : f64, f64, i32) outs(%e : "
     "tensor<2x3x$T>) -> tensor<2x3x$T>"},
    {"linalg.generic", "2x3x$T",
     "%r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, "
     "affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", "
     "\"parallel\"]} ins(%x : tensor<2x3x$T>) outs(%e : tensor<2x3x$T>) {\n"
     "^bb0(%a: $T, %b: $T):\nlinalg.yield %a : $T } -> tensor<2x3x$T>"},
    {"linalg.index", "2x3xi64",
     "%o = tensor.empty() : tensor<2x3xi64>\n"
     "%r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, "
     "affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", "
     "\"parallel\"]} ins(%x : tensor<2x3x$T>) outs(%o : tensor<2x3xi64>) {\n"
     "^bb0(%a: $T, %b: i64):\n%n = linalg.index 1 : index\n"
     "%m = arith.index_cast %n : index to i64\n"
     "linalg.yield %m : i64 } -> tensor<2x3xi64>"},
    {"linalg.map", "2x3x$T",
     "%r = linalg.map ins(%x : tensor<2x3x$T>) outs(%e : tensor<2x3x$T>) "
     "(%a: $T, %b: $T) { linalg.yield %a : $T }"},
    {"linalg.pack", "1x1x2x3x$T",
     "%i = tensor.empty() : tensor<1x1x2x3x$T>\n"
     "%r = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [2, 3] into %i "
     ": tensor<2x3x$T> -> tensor<1x1x2x3x$T>"},
    {"linalg.reduce", "2x$T",
     "%i = tensor.empty() : tensor<2x$T>\n"
     "%f = linalg.fill ins(%s : $T) outs(%i : tensor<2x$T>) -> tensor<2x$T>\n"
     "%r = linalg.reduce ins(%x : tensor<2x3x$T>) outs(%f : tensor<2x$T>) "
     "dimensions = [1] (%a: $T, %b: $T) {\n"
     "%c = arith.$ADD %a, %b : $T\nlinalg.yield %c : $T }"},
    {"linalg.select", "2x3x$T",
     "%c = arith.constant dense<true> : tensor<2x3xi1>\n"
     "%r = linalg.select ins(%c, %x, %y : tensor<2x3xi1>, tensor<2x3x$T>, "
     "tensor<2x3x$T>) outs(%e : tensor<2x3x$T>) -> tensor<2x3x$T>"},
    {"linalg.softmax", "2x3x$T",
     "%r = linalg.softmax dimension(1) ins(%x : tensor<2x3x$T>) outs(%e : "
     "tensor<2x3x$T>) -> tensor<2x3x$T>"},
    {"linalg.transpose", "3x2x$T",
     "%i = tensor.empty() : tensor<3x2x$T>\n"
     "%r = linalg.transpose ins(%x : tensor<2x3x$T>) outs(%i : tensor<3x2x$T>) "
     "permutation = [1, 0]"},
    {"linalg.unpack", "2x3x$T",
     "%p = tensor.expand_shape %x [[0, 1, 2], [3]] output_shape [1, 1, 2, 3] "
     ": tensor<2x3x$T> into tensor<1x1x2x3x$T>\n"
     "%r = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [2, 3] into "
     "%e : tensor<1x1x2x3x$T> -> tensor<2x3x$T>"},
    {"linalg.yield", "2x3x$T",
     "%r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], "
     "iterator_types = [\"parallel\", \"parallel\"]} outs(%e : tensor<2x3x$T>) "
     "{\n^bb0(%b: $T):\nlinalg.yield %s : $T } -> tensor<2x3x$T>"},
    {"tensor.bitcast", "2x3xi32",
     "%r = tensor.bitcast %x : tensor<2x3x$T> to tensor<2x3xi32>"},
    {"tensor.cast", "?x3x$T",
     "%r = tensor.cast %x : tensor<2x3x$T> to tensor<?x3x$T>"},
    {"tensor.collapse_shape", "6x$T",
     "%r = tensor.collapse_shape %x [[0, 1]] : tensor<2x3x$T> into "
     "tensor<6x$T>"},
    {"tensor.concat", "4x3x$T",
     "%r = tensor.concat dim(0) %x, %y : (tensor<2x3x$T>, tensor<2x3x$T>) -> "
     "tensor<4x3x$T>"},
    {"tensor.dim", "2x3x$T",
     "%n = arith.constant 0 : index\n%d = tensor.dim %x, %n : tensor<2x3x$T>\n"
     "%i = tensor.empty(%d) : tensor<?x3x$T>\n"
     "%f = linalg.fill ins(%s : $T) outs(%i : tensor<?x3x$T>) -> "
     "tensor<?x3x$T>\n"
     "%r = tensor.cast %f : tensor<?x3x$T> to tensor<2x3x$T>"},
    {"tensor.empty", "2x3x$T",
     "%n = tensor.empty() : tensor<2x3x$T>\n"
     "%r = linalg.copy ins(%x : tensor<2x3x$T>) outs(%n : tensor<2x3x$T>) -> "
     "tensor<2x3x$T>"},
    {"tensor.expand_shape", "2x3x1x$T",
     "%r = tensor.expand_shape %x [[0], [1, 2]] output_shape [2, 3, 1] : "
     "tensor<2x3x$T> into tensor<2x3x1x$T>"},
    {"tensor.extract", "2x3x$T",
     "%n = arith.constant 0 : index\n"
     "%v = tensor.extract %x[%n, %n] : tensor<2x3x$T>\n"
     "%r = linalg.fill ins(%v : $T) outs(%e : tensor<2x3x$T>) -> "
     "tensor<2x3x$T>"},
    {"tensor.extract_slice", "1x3x$T",
     "%r = tensor.extract_slice %x[1, 0][1, 3][1, 1] : tensor<2x3x$T> to "
     "tensor<1x3x$T>"},
    {"tensor.from_elements", "1x$T",
     "%r = tensor.from_elements %s : tensor<1x$T>"},
    {"tensor.gather", "1x1x3x$T",
     "%n = arith.constant dense<0> : tensor<1x1xindex>\n"
     "%r = tensor.gather %x[%n] gather_dims([0]) : (tensor<2x3x$T>, "
     "tensor<1x1xindex>) -> tensor<1x1x3x$T>"},
    {"tensor.generate", "2x3x$T",
     "%r = tensor.generate {\n^bb0(%i: index, %j: index):\n"
     "tensor.yield %s : $T } : tensor<2x3x$T>"},
    {"tensor.insert", "2x3x$T",
     "%n = arith.constant 0 : index\n"
     "%r = tensor.insert %s into %x[%n, %n] : tensor<2x3x$T>"},
    {"tensor.insert_slice", "2x3x$T",
     "%v = tensor.extract_slice %y[0, 0][1, 3][1, 1] : tensor<2x3x$T> to "
     "tensor<1x3x$T>\n"
     "%r = tensor.insert_slice %v into %x[1, 0][1, 3][1, 1] : tensor<1x3x$T> "
     "into tensor<2x3x$T>"},
    {"tensor.pad", "3x3x$T",
     "%r = tensor.pad %x low[0, 0] high[1, 0] {\n^bb0(%i: index, %j: index):\n"
     "tensor.yield %s : $T } : tensor<2x3x$T> to tensor<3x3x$T>"},
    {"tensor.parallel_insert_slice", "2x3x$T",
     "%r = scf.forall (%i) in (2) shared_outs(%o = %x) -> (tensor<2x3x$T>) {\n"
     "scf.forall.in_parallel {\ntensor.parallel_insert_slice %y into %o[0, 0]"
     "[2, 3][1, 1] : tensor<2x3x$T> into tensor<2x3x$T> } }"},
    {"tensor.rank", "2x3x$T",
     "%n = tensor.rank %x : tensor<2x3x$T>\n"
     "%r = linalg.copy ins(%x : tensor<2x3x$T>) outs(%e : tensor<2x3x$T>) -> "
     "tensor<2x3x$T>"},
    {"tensor.reshape", "6x$T",
     "%n = arith.constant dense<6> : tensor<1xi32>\n"
     "%r = tensor.reshape %x(%n) : (tensor<2x3x$T>, tensor<1xi32>) -> "
     "tensor<6x$T>"},
    {"tensor.scatter", "2x3x$T",
     "%n = arith.constant dense<0> : tensor<1x1xindex>\n"
     "%v = tensor.empty() : tensor<1x1x3x$T>\n"
     "%r = tensor.scatter %v into %x[%n] scatter_dims([0]) unique : "
     "(tensor<1x1x3x$T>, tensor<2x3x$T>, tensor<1x1xindex>) -> "
     "tensor<2x3x$T>"},
    {"tensor.splat", "2x3x$T", "%r = tensor.splat %s : tensor<2x3x$T>"},
    {"tensor.yield", "2x3x$T",
     "%r = tensor.generate {\n^bb0(%i: index, %j: index):\n"
     "%v = tensor.extract %x[%i, %j] : tensor<2x3x$T>\n"
     "tensor.yield %v : $T } : tensor<2x3x$T>"},
};

ArrayRef<StringLiteral> tripy::test::gridTypes() {
  static constexpr StringLiteral types[] = {"f32",
                                            "f16",
                                            "bf16",
                                            "f64",
                                            "f80",
                                            "f128",
                                            "tf32",
                                            "f8E5M2",
                                            "f8E4M3",
                                            "f8E4M3FN",
                                            "f8E5M2FNUZ",
                                            "f8E4M3FNUZ",
                                            "f8E4M3B11FNUZ",
                                            "f8E3M4",
                                            "f8E8M0FNU",
                                            "f6E2M3FN",
                                            "f6E3M2FN",
                                            "f4E2M1FN",
                                            "i0",
                                            "i1",
                                            "i2",
                                            "i3",
                                            "i4",
                                            "i7",
                                            "i8",
                                            "i16",
                                            "i24",
                                            "i32",
                                            "i33",
                                            "i64",
                                            "i128",
                                            "i65535",
                                            "si8",
                                            "si32",
                                            "ui8",
                                            "ui32",
                                            "ui64",
                                            "index",
                                            "complex<f32>",
                                            "complex<i32>",
                                            "vector<2xf32>",
                                            "vector<[4]xf32>",
                                            "memref<2xf32>",
                                            "tuple<>",
                                            "tuple<f32, i32>",
                                            "none",
                                            "(f32) -> f32",
                                            "tensor<2xf32>",
                                            "!quant.uniform<i8:f32, 0.5>",
                                            "!llvm.ptr",
                                            "!llvm.struct<(i32)>",
                                            "!tripy.unknown"};
  return types;
}

static std::string tensorOf(StringRef shape, StringRef element = "$T") {
  return ("tensor<" + shape + (shape.empty() ? "" : "x") + element + ">").str();
}

/// A program of one structured operation on arguments.
static GridProgram structuredProgram(const Structured &row) {
  SmallVector<StringRef> shapes;
  row.inputs.split(shapes, ' ');
  std::string arguments, names, types;
  for (auto [i, shape] : enumerate(shapes)) {
    std::string type = shape == "." ? "i32" : tensorOf(shape);
    std::string name = shape == "." ? "%zero" : "%a" + std::to_string(i);
    if (shape != ".")
      arguments += (i ? ", " : "") + name + ": " + type;
    names += (i ? ", " : "") + name;
    types += (i ? ", " : "") + type;
  }
  std::string out = tensorOf(row.output);
  return {("linalg." + row.operation).str(),
          "func.func @main(" + arguments + ") -> " + out + " {\n" +
              "%zero = arith.constant 0 : i32\n%s = arith.constant $0 : $T\n" +
              "%e = tensor.empty() : " + out + "\n" +
              "%f = linalg.fill ins(%s : $T) outs(%e : " + out + ") -> " + out +
              "\n%r = linalg." + row.operation.str() + " " +
              row.attributes.str() + " ins(" + names + " : " + types +
              ") outs(%f : " + out + ") -> " + out + "\nreturn %r : " + out +
              "\n}\n"};
}

std::vector<GridProgram> tripy::test::gridPrograms() {
  std::vector<GridProgram> programs;
  for (const Structured &row : structured)
    programs.push_back(structuredProgram(row));
  for (const auto &row : others)
    programs.push_back(
        {row.operation.str(),
         "func.func @main(%x: tensor<2x3x$T>, %y: tensor<2x3x$T>) -> tensor<" +
             row.result.str() + "> {\n%s = arith.constant $0 : $T\n" +
             "%e = tensor.empty() : tensor<2x3x$T>\n" + row.body.str() +
             "\nreturn %r : tensor<" + row.result.str() + ">\n}\n"});
  return programs;
}

std::string tripy::test::instantiate(const GridProgram &program,
                                     StringRef type) {
  bool isFloat =
      type.starts_with("f") || type.starts_with("bf") || type.starts_with("tf");
  std::string text = program.text;
  auto replace = [&](StringRef from, StringRef to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
         at += to.size())
      text.replace(at, from.size(), to);
  };
  bool isNumber = isFloat || type.starts_with("i");
  if (!isNumber) // No literal is of the type.
    replace("arith.constant $0 : $T", "ub.poison : $T");
  replace("$0", type == "f8E8M0FNU" ? "1.0" : isFloat ? "0.0" : "0");
  replace("$ADD", isFloat ? "addf" : "addi");
  replace("$T", type);
  return text;
}

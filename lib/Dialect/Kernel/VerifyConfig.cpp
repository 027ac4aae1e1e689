//===- VerifyConfig.cpp - Rules of a kernel's configuration ---------------===//

#include "Verify.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::kernel;

SmallVector<RankedTensorType> kernel::tensorTypes(FuncOp kernel) {
  SmallVector<RankedTensorType> types;
  for (TypeRange range : {TypeRange(kernel.getFunctionType().getInputs()),
                          TypeRange(kernel.getFunctionType().getResults())})
    for (Type type : range)
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        types.push_back(tensor);
  return types;
}

unsigned kernel::countSizes(FuncOp kernel) {
  return llvm::count_if(kernel.getFunctionType().getInputs(),
                        [](Type type) { return type.isIndex(); });
}

/// Maps of a configuration read the kernel's sizes, in order, as symbols.
static LogicalResult verifyMap(FuncOp kernel, AffineMap map, size_t results,
                               StringRef what) {
  unsigned sizes = countSizes(kernel);
  if (map.getNumResults() == results && map.getNumDims() == 0 &&
      map.getNumSymbols() == sizes)
    return success();
  return kernel.emitOpError(what)
         << " must have " << results << " results of the kernel's " << sizes
         << " sizes as symbols; found " << AffineMapAttr::get(map);
}

/// Three numbers from 1 on, each up to `limits`, their product up to `limit`.
static LogicalResult verifyShape(FuncOp kernel, ArrayRef<int64_t> shape,
                                 std::array<int64_t, 3> limits, int64_t limit,
                                 StringRef what) {
  int64_t product = 1;
  bool inside = shape.size() == 3;
  for (size_t i = 0; inside && i < 3; ++i) {
    inside = shape[i] >= 1 && shape[i] <= limits[i];
    product *= inside ? shape[i] : 1;
  }
  if (inside && product <= limit)
    return success();
  return kernel.emitOpError(what)
         << " must be 3 numbers of at least 1 and at most " << limits[0] << ", "
         << limits[1] << " and " << limits[2] << ", whose product is at most "
         << limit << "; found [" << shape << "]";
}

static LogicalResult verifyTensorMap(FuncOp kernel, TensorMapAttr map) {
  auto tensors = static_cast<int64_t>(tensorTypes(kernel).size());
  if (map.getBuffer() < 0 || map.getBuffer() >= tensors)
    return kernel.emitOpError("a tensor map must be of one of ")
           << tensors << " tensors; found " << map.getBuffer();
  size_t rank = map.getBox().size();
  if (rank < 1 || rank > 5)
    return kernel.emitOpError("the box of a tensor map must have 1 to 5 "
                              "sizes; found ")
           << rank;
  for (int64_t size : map.getBox())
    if (size < 1 || size > 256)
      return kernel.emitOpError("the box of a tensor map must have sizes of 1 "
                                "to 256; found ")
             << size;
  if (!llvm::is_contained({0, 32, 64, 128}, map.getSwizzle()))
    return kernel.emitOpError("the swizzle of a tensor map must be 0, 32, 64 "
                              "or 128; found ")
           << map.getSwizzle();
  if (failed(verifyMap(kernel, map.getDims(), rank, "dims of a tensor map")))
    return failure();
  return verifyMap(kernel, map.getStrides(), rank - 1,
                   "strides of a tensor map");
}

LogicalResult kernel::verifyConfig(FuncOp kernel, ConfigAttr config) {
  // Limits of every CUDA device since sm_90; the CPU has blocks of 1.
  if (failed(verifyMap(kernel, config.getGrid(), 3, "the grid")) ||
      failed(verifyShape(kernel, config.getBlock(), {1024, 1024, 64}, 1024,
                         "the block")) ||
      failed(verifyShape(kernel, config.getCluster(), {16, 16, 16}, 16,
                         "the cluster")))
    return failure();
  if (config.getScratch() < 0)
    return kernel.emitOpError("scratch must not be negative; found ")
           << config.getScratch();
  ArrayRef<int64_t> workspace = config.getWorkspace();
  bool fits = workspace.empty() || workspace.size() == 2;
  for (int64_t bytes : workspace)
    fits &= bytes >= 0 && bytes % 4 == 0;
  if (!fits)
    return kernel.emitOpError("the workspace must be none or 2 numbers of "
                              "bytes, multiples of 4; found [")
           << workspace << "]";
  for (TensorMapAttr map : config.getTensorMaps())
    if (failed(verifyTensorMap(kernel, map)))
      return failure();
  return success();
}

/// Whether the tensor has as many elements as the factors make.
static bool hasElements(RankedTensorType type, ArrayRef<int64_t> factors) {
  std::optional<int64_t> elements = 1, product = 1;
  for (int64_t size : type.getShape())
    elements = elements ? llvm::checkedMul(*elements, size) : elements;
  for (int64_t factor : factors)
    product = product ? llvm::checkedMul(*product, factor) : product;
  return type.hasStaticShape() && elements && elements == product;
}

LogicalResult kernel::verifyProduct(FuncOp kernel, ProductAttr product) {
  SmallVector<RankedTensorType> tensors = tensorTypes(kernel);
  int64_t results = kernel.getFunctionType().getNumResults();
  auto inputs = static_cast<int64_t>(tensors.size()) - results;
  auto isInput = [&](int64_t number) { return number >= 0 && number < inputs; };
  if (results != 1 || !isInput(product.getA()) || !isInput(product.getB()) ||
      (product.getBias() != -1 && !isInput(product.getBias())))
    return kernel.emitOpError("a product must have one result, and operands "
                              "among ")
           << inputs << " tensor arguments; found " << results
           << " results and operands " << product.getA() << ", "
           << product.getB() << " and " << product.getBias();
  int64_t batch = product.getBatch(), m = product.getM(), n = product.getN(),
          k = product.getK();
  bool fits =
      hasElements(tensors[product.getA()], {batch, m, k}) &&
      hasElements(tensors[product.getB()], {batch, k, n}) &&
      hasElements(tensors.back(), {batch, m, n}) &&
      (product.getBias() < 0 || hasElements(tensors[product.getBias()], {n}));
  if (!fits)
    return kernel.emitOpError("a product's tensors must have its sizes; found ")
           << batch << " of " << m << "x" << n << "x" << k << " for "
           << kernel.getFunctionType();
  return success();
}

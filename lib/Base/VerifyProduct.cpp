//===- VerifyProduct.cpp - Rules of products that libraries may compute ---===//
//
// A library gets pointers and sizes and checks neither: what it would touch has
// to be what the launch touches, byte by byte.
//
//===----------------------------------------------------------------------===//

#include "Verifier.h"
#include "tripy/Base/CheckedMath.h"

using namespace tripy;

static constexpr int64_t maxProductSize = 0x7fffffff;

/// Whether a product of these types exists, as Program.h lists them.
static bool haveTypes(const MatrixProduct &product) {
  DType result = product.resultType;
  switch (product.operandType) {
  case DType::F32:
    return result == DType::F32;
  case DType::F16:
  case DType::BF16:
    return result == product.operandType || result == DType::F32;
  case DType::F8E4M3FN:
    return result == DType::F16 || result == DType::BF16 ||
           result == DType::F32;
  default:
    return false;
  }
}

Status Verifier::checkProducts() const {
  if (!isCuda() && !program.products.empty())
    return malformed("a program for the CPU has no products for libraries");
  for (size_t i = 0; i < program.products.size(); ++i) {
    const MatrixProduct &product = program.products[i];
    std::string what = concat("product ", i);
    if (!haveTypes(product))
      return malformed(concat(what, ": no product has operands of type ",
                              unsigned(product.operandType),
                              " and a result of type ",
                              unsigned(product.resultType)));
    if (product.allowTF32 && product.operandType != DType::F32)
      return malformed(concat(what, ": TF32 is for operands of f32"));
    for (int64_t size : {product.batch, product.m, product.n, product.k})
      if (size < 1 || size > maxProductSize)
        return malformed(concat(what, ": sizes must be 1 to ", maxProductSize,
                                ", but one is ", size));
  }
  return Status::ok();
}

/// Bytes of a dense tensor; UINT64_MAX, which no launch touches, on overflow.
static uint64_t denseBytes(DType type, std::initializer_list<int64_t> sizes) {
  std::optional<uint64_t> elements = 1;
  for (int64_t size : sizes)
    if (elements)
      elements = checkedMul(*elements, uint64_t(size));
  return elements ? byteCount(type, *elements).value_or(UINT64_MAX)
                  : UINT64_MAX;
}

Status Verifier::checkProductTensor(const Launch &launch, TableIndex position,
                                    std::string_view name, uint64_t bytes,
                                    bool writes,
                                    const std::string &what) const {
  if (position >= launch.args.size() ||
      launch.args[position].kind != ArgKind::Buffer)
    return malformed(concat(what, ": the product's ", name,
                            " must be a buffer among its ", launch.args.size(),
                            " arguments, but is argument ", position));
  size_t access = 0;
  for (TableIndex i = 0; i < position; ++i)
    access += !isNumber(launch.args[i].kind);
  const Access &use = launch.accesses[access];
  if (use.reads == writes || use.writes != writes)
    return malformed(
        concat(what, ": the product's ", name, " must be ",
               writes ? "written and not read" : "read and not written"));
  const Interval &bound = bounds[use.bytes];
  if (!bound.isPoint() || uint64_t(bound.lo) != bytes)
    return malformed(concat(what, ": the product's ", name, " has ", bytes,
                            " bytes, but the launch touches ", bound.lo, " to ",
                            bound.hi));
  return Status::ok();
}

Status Verifier::checkLaunchProduct(const Launch &launch,
                                    const std::string &what) const {
  if (launch.product == noIndex)
    return Status::ok();
  if (launch.product >= program.products.size())
    return malformed(concat(what, ": the product must be one of ",
                            program.products.size(), ", but is ",
                            launch.product));
  const MatrixProduct &product = program.products[launch.product];
  auto [batch, m, n, k] =
      std::array{product.batch, product.m, product.n, product.k};
  auto check = [&](TableIndex position, std::string_view name, uint64_t bytes,
                   bool writes) {
    return checkProductTensor(launch, position, name, bytes, writes, what);
  };
  if (Status status =
          check(product.a, "A", denseBytes(product.operandType, {batch, m, k}),
                /*writes=*/false);
      !status.isOk())
    return status;
  if (Status status =
          check(product.b, "B", denseBytes(product.operandType, {batch, k, n}),
                /*writes=*/false);
      !status.isOk())
    return status;
  if (Status status = check(product.result, "result",
                            denseBytes(product.resultType, {batch, m, n}),
                            /*writes=*/true);
      !status.isOk())
    return status;
  if (product.bias != noIndex)
    if (Status status =
            check(product.bias, "bias", denseBytes(product.resultType, {n}),
                  /*writes=*/false);
        !status.isOk())
      return status;
  // What the kernel writes beside the result would be missing; but nobody else
  // reads a workspace.
  TableIndex result = launch.args[product.result].index;
  for (size_t i = 0; i < launch.accesses.size(); ++i)
    if (launch.accesses[i].writes && !launch.accesses[i].reads &&
        launchBuffers[i] != result)
      return malformed(concat(what, ": writes buffer ", launchBuffers[i],
                              ", which its product does not"));
  return Status::ok();
}

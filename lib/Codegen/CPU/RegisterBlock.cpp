//===- RegisterBlock.cpp - Products in vector registers -------------------===//

#include "RegisterBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tripy::codegen;

Value RegisterBlock::address(const Memory &array, Index offset) const {
  Value wide = arith::IndexCastOp::create(e.b, e.loc, e.b.getI64Type(),
                                          e.math.value(offset));
  return LLVM::GEPOp::create(e.b, e.loc, array.pointer.getType(),
                             type.getElementType(), array.pointer,
                             ArrayRef<LLVM::GEPArg>{wide});
}

Value RegisterBlock::load(const Memory &array, Index offset) const {
  return LLVM::LoadOp::create(e.b, e.loc, type, address(array, offset),
                              type.getElementTypeBitWidth() / 8);
}

void RegisterBlock::store(const Memory &array, Index offset,
                          Value vector) const {
  LLVM::StoreOp::create(e.b, e.loc, vector, address(array, offset),
                        type.getElementTypeBitWidth() / 8);
}

Value RegisterBlock::broadcast(Value number) const {
  return vector::BroadcastOp::create(e.b, e.loc, type, number);
}

SmallVector<Value> RegisterBlock::multiply(Index count, ValueRange sums,
                                           Left left, Right right) const {
  return e.reduceLoop(
      e.math.constant(0), count, e.math.constant(1), sums,
      [&](Index k, ValueRange carried) {
        SmallVector<Value> factors, next;
        for (int64_t v = 0; v < vectors; ++v)
          factors.push_back(right(k, v));
        for (int64_t row = 0; row < rows; ++row) {
          Value number = broadcast(left(k, row));
          for (int64_t v = 0; v < vectors; ++v) {
            Value sum = carried[row * vectors + v];
            if (isa<FloatType>(type.getElementType())) {
              next.push_back(
                  vector::FMAOp::create(e.b, e.loc, number, factors[v], sum));
              continue;
            }
            Value product =
                arith::MulIOp::create(e.b, e.loc, number, factors[v]);
            next.push_back(arith::AddIOp::create(e.b, e.loc, sum, product));
          }
        }
        return next;
      });
}

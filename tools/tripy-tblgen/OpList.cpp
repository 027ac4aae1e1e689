//===- OpList.cpp - -gen-op-list: one line per operation ------------------===//
//
// "flatir.concatenate<tab>4<tab>fold sizes": the number of rules, and which of
// "fold", "canonicalize" and "sizes" the operation has; with the last one it
// says what sizes its results have. What utils/coverage.py starts from.
//
//===----------------------------------------------------------------------===//
#include "Generators.h"

#include "mlir/TableGen/GenInfo.h"
#include "mlir/TableGen/Operator.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tripy::tblgen;

static bool emitOpList(const RecordKeeper &records, raw_ostream &os) {
  for (const ContractOp &op : contractOps(records)) {
    os << op.name() << '\t' << op.rules.size() << '\t';
    if (op.record->getValueAsBit("hasFolder"))
      os << "fold ";
    if (op.record->getValueAsBit("hasCanonicalizer") ||
        op.record->getValueAsBit("hasCanonicalizeMethod"))
      os << "canonicalize ";
    if (mlir::tblgen::Operator(op.record).getTrait(
            "::mlir::ReifyRankedShapedTypeOpInterface::Trait"))
      os << "sizes";
    os << '\n';
  }
  return false;
}

static mlir::GenRegistration
    registration("gen-op-list", "List all operations with rules", emitOpList);

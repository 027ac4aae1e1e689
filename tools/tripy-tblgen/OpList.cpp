//===- OpList.cpp - -gen-op-list: one line per operation ------------------===//
//
// "trace.concatenate<tab>5<tab>fold": the number of rules, and which of "fold"
// and "canonicalize" the operation has. What utils/coverage.py starts from.
//
//===----------------------------------------------------------------------===//
#include "Generators.h"

#include "mlir/TableGen/GenInfo.h"
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
      os << "canonicalize";
    os << '\n';
  }
  return false;
}

static mlir::GenRegistration
    registration("gen-op-list", "List all operations with rules", emitOpList);

//===- RuleList.cpp - -gen-rule-list: one line per rule -------------------===//
//
// "trace.concatenate C3<tab>text": what utils/check-rules.py compares with the
// tests.
//
//===----------------------------------------------------------------------===//
#include "Generators.h"

#include "mlir/TableGen/GenInfo.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tripy::tblgen;

static bool emitRuleList(const RecordKeeper &records, raw_ostream &os) {
  for (const ContractOp &op : contractOps(records))
    for (const Rule &rule : op.rules)
      os << op.name() << ' ' << rule.id << '\t' << rule.text << '\n';
  return false;
}

static mlir::GenRegistration
    registration("gen-rule-list", "List all rules of operations", emitRuleList);

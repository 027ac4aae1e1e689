//===- Remarks.cpp - Decisions of the fusion planner, reported ------------===//

#include "Remarks.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace tripy;

void fusion::remarkTaken(Location loc, StringRef function, const Twine &text) {
  auto options =
      remark::RemarkOpts::name("fused").category("fusion").function(function);
  if (auto remark = remark::passed(loc, options))
    remark << remark::add("{0}", text.str());
}

void fusion::remarkNotTaken(Location loc, StringRef function,
                            const Twine &text) {
  auto options = remark::RemarkOpts::name("declined")
                     .category("fusion")
                     .function(function);
  if (auto remark = remark::missed(loc, options))
    remark << remark::add("{0}", text.str());
}

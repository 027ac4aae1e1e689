//===- VerifyWork.cpp - Rules of what launches have to do -----------------===//

#include "Verifier.h"

using namespace tripy;

Status Verifier::checkWork(const Launch &launch,
                           const std::string &what) const {
  if (launch.work.size() > limits.arguments)
    return Status(Code::LimitExceeded,
                  concat(what, ": may have at most ", limits.arguments,
                         " terms of work, but has ", launch.work.size()));
  for (const WorkTerm &term : launch.work) {
    if (uint8_t(term.kind) < uint8_t(WorkKind::Touched) ||
        uint8_t(term.kind) > uint8_t(WorkKind::ProductsTF32))
      return malformed(
          concat(what, ": unknown kind of work ", unsigned(term.kind)));
    if (!findDTypeInfo(term.dtype))
      return malformed(
          concat(what, ": unknown element type ", unsigned(term.dtype)));
    if (term.kind == WorkKind::Touched && term.access >= launch.accesses.size())
      return malformed(concat(what, ": work must be on one of ",
                              launch.accesses.size(), " accesses, but is on ",
                              term.access));
    if (term.sizes.size() > limits.workSizes)
      return Status(Code::LimitExceeded,
                    concat(what, ": a term of work may have at most ",
                           limits.workSizes, " sizes, but has ",
                           term.sizes.size()));
    for (TableIndex size : term.sizes) {
      Interval bound;
      if (Status status = boundOf(size, what, bound); !status.isOk())
        return status;
    }
  }
  return Status::ok();
}

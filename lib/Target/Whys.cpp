//===- Whys.cpp - Locations as text ---------------------------------------===//

#include "TranslateState.h"

#include "tripy/Base/Text.h"
#include "tripy/Base/Verify.h"
#include "tripy/Dialect/Tripy/Provenance.h"

#include "mlir/IR/Location.h"

#include <tuple>

using namespace mlir;
using namespace tripy;
using namespace tripy::target;

/// Cuts to what an executable may hold.
static std::string clean(StringRef text) {
  return printable(std::string_view(text), ProgramLimits().textBytes);
}

/// The calls that lead to `caller`, which is called from `outer`. Returns the
/// innermost one; `outer` where nothing is known.
TableIndex WhyTable::addFrames(Location caller, TableIndex outer) {
  SmallVector<UserPlace> calls = callStack(caller);
  for (const UserPlace &place : llvm::reverse(calls)) {
    if (frames.size() >= ProgramLimits().frames)
      return noIndex;
    auto [entry, isNew] = knownFrames.try_emplace(
        {LocationAttr(place.range).getAsOpaquePointer(), place.function, outer},
        TableIndex(frames.size()));
    if (isNew)
      frames.push_back(
          {clean(place.range.getFilename()), place.range.getStartLine(),
           place.range.getStartColumn(), clean(place.function), outer});
    outer = entry->second;
  }
  return outer;
}

namespace {
/// A location on the way to a line.
struct Pending {
  Location location;
  std::string reason;
  StringRef function = {};
  TableIndex caller = noIndex;
};
} // namespace

/// A line for each place in `location`, with the reasons on the way to it.
WhyEntry WhyTable::makeRow(Location location) {
  WhyEntry row;
  llvm::DenseSet<std::tuple<Attribute, Attribute, Attribute, TableIndex>> seen;
  // Locations of fused kernels are large and may nest as deeply as programs
  // do: no recursion.
  SmallVector<Pending> pending = {{location, ""}};
  MLIRContext *context = location.getContext();
  uint32_t limit = ProgramLimits().whyLines;
  while (!pending.empty() && row.lines.size() < limit) {
    Pending next = pending.pop_back_val();
    Location loc = next.location;
    if (!seen.insert({LocationAttr(loc), StringAttr::get(context, next.reason),
                      StringAttr::get(context, next.function), next.caller})
             .second)
      continue;
    if (auto fused = dyn_cast<FusedLoc>(loc)) {
      if (auto why = dyn_cast_or_null<WhyAttr>(fused.getMetadata()))
        if (next.reason.size() < ProgramLimits().textBytes)
          next.reason +=
              (next.reason.empty() ? "" : "; ") + why.getReason().str();
      for (Location part : llvm::reverse(fused.getLocations())) {
        pending.push_back(next);
        pending.back().location = part;
      }
    } else if (auto name = dyn_cast<NameLoc>(loc)) {
      // Other names are those of tensors.
      if (name.getName().getValue().ends_with("()"))
        next.function = name.getName();
      next.location = name.getChildLoc();
      pending.push_back(next);
    } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
      pending.push_back({call.getCallee(), next.reason, StringRef(),
                         addFrames(call.getCaller(), next.caller)});
    } else if (auto opaque = dyn_cast<OpaqueLoc>(loc)) {
      next.location = opaque.getFallbackLocation();
      pending.push_back(next);
    } else if (auto place = dyn_cast<FileLineColRange>(loc)) {
      row.lines.push_back({clean(place.getFilename()), place.getStartLine(),
                           place.getStartColumn(),
                           clean(operations.lookup(LocationAttr(place)).name),
                           clean(next.reason), clean(next.function),
                           next.caller});
    }
  }
  return row;
}

TableIndex WhyTable::add(Location location) {
  auto [entry, isNew] = known.try_emplace(LocationAttr(location), noIndex);
  if (!isNew)
    return entry->second;
  WhyEntry row = makeRow(location);
  if (!row.lines.empty()) {
    entry->second = rows.size();
    rows.push_back(std::move(row));
  }
  return entry->second;
}

std::vector<TableIndex> WhyTable::addOperands(Location location) {
  std::vector<TableIndex> operands;
  for (const UserPlace &place : userPlaces(location)) {
    auto found = operations.find(LocationAttr(place.range));
    if (found == operations.end())
      continue;
    for (Location operand : llvm::ArrayRef(found->second.operands)
                                .take_front(ProgramLimits().arguments))
      operands.push_back(add(operand));
    break;
  }
  return operands;
}

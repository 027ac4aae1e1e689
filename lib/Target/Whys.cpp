//===- Whys.cpp - Locations as text ---------------------------------------===//

#include "TranslateState.h"

#include "tripy/Base/Text.h"
#include "tripy/Base/Verify.h"
#include "tripy/Dialect/Tripy/Tripy.h"

#include "mlir/IR/Location.h"

#include <tuple>

using namespace mlir;
using namespace tripy;
using namespace tripy::target;

/// Cuts to what an executable may hold.
static std::string clean(StringRef text) {
  return printable(std::string_view(text), ProgramLimits().textBytes);
}

/// A line for each place in `location`, with the reasons on the way to it.
static WhyEntry makeRow(Location location, const OperationNames &names) {
  WhyEntry row;
  llvm::SmallDenseSet<std::pair<Attribute, Attribute>> seen;
  // Locations of fused kernels are large and may nest as deeply as programs
  // do: no recursion.
  SmallVector<std::pair<Location, std::string>> pending = {{location, ""}};
  MLIRContext *context = location.getContext();
  uint32_t limit = ProgramLimits().whyLines;
  while (!pending.empty() && row.lines.size() < limit) {
    auto [loc, reason] = pending.pop_back_val();
    if (!seen.insert({LocationAttr(loc), StringAttr::get(context, reason)})
             .second)
      continue;
    if (auto fused = dyn_cast<FusedLoc>(loc)) {
      if (auto why = dyn_cast_or_null<WhyAttr>(fused.getMetadata()))
        if (reason.size() < ProgramLimits().textBytes)
          reason += (reason.empty() ? "" : "; ") + why.getReason().str();
      for (Location part : llvm::reverse(fused.getLocations()))
        pending.push_back({part, reason});
    } else if (auto name = dyn_cast<NameLoc>(loc)) {
      pending.push_back({name.getChildLoc(), reason});
    } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
      pending.push_back({call.getCallee(), reason});
    } else if (auto place = dyn_cast<FileLineColRange>(loc)) {
      row.lines.push_back({clean(place.getFilename()), place.getStartLine(),
                           place.getStartColumn(),
                           clean(names.lookup(LocationAttr(place))),
                           clean(reason)});
    }
  }
  return row;
}

Index WhyTable::add(Location location) {
  auto [entry, isNew] = known.try_emplace(LocationAttr(location), noIndex);
  if (!isNew)
    return entry->second;
  WhyEntry row = makeRow(location, names);
  if (!row.lines.empty()) {
    entry->second = rows.size();
    rows.push_back(std::move(row));
  }
  return entry->second;
}

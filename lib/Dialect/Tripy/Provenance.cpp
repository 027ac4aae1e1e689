//===- Provenance.cpp - Why does this operation exist? --------------------===//

#include "tripy/Dialect/Tripy/Provenance.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tripy;

Location tripy::inserted(Location parent, const Why &why) {
  MLIRContext *context = parent.getContext();
  auto attr = WhyAttr::get(context, why.rule, why.reason, why.operand);
  return FusedLoc::get(context, {parent}, attr);
}

Location tripy::fuseLocations(ArrayRef<Location> locations) {
  assert(!locations.empty() && "nothing to fuse");
  SetVector<Location> parts;
  for (Location location : locations) {
    auto fused = dyn_cast<FusedLoc>(location);
    if (fused && !fused.getMetadata())
      parts.insert_range(fused.getLocations());
    else
      parts.insert(location);
  }
  if (parts.size() == 1)
    return parts.front();
  // Not FusedLoc::get(context, ...): that one drops unknown locations, and may
  // unwrap.
  return FusedLoc::get(locations.front().getContext(), parts.getArrayRef());
}

namespace {

/// Follows a location to the user's places. Locations are shared, so that one
/// may be reached in exponentially many ways: each is looked at once.
class Walk {
public:
  /// Called for what is under reasons and unions.
  function_ref<void(Location)> onUser = nullptr;
  function_ref<void(WhyAttr)> onWhy = nullptr;

  void visit(Location location) {
    if (!seen.insert(location).second)
      return;
    auto fused = dyn_cast<FusedLoc>(location);
    if (!fused) {
      if (onUser)
        onUser(location);
      return;
    }
    if (auto why = dyn_cast_or_null<WhyAttr>(fused.getMetadata()))
      if (onWhy)
        onWhy(why);
    for (Location part : fused.getLocations())
      visit(part);
  }

private:
  DenseSet<Location> seen;
};

} // namespace

/// Collects the places of a user's location, innermost call first. `limit`
/// bounds what a hostile location, whose parts repeat, may cost.
static void appendStack(Location location, StringRef function,
                        SmallVectorImpl<UserPlace> &stack, size_t limit = 256) {
  if (stack.size() >= limit)
    return;
  TypeSwitch<LocationAttr>(location)
      .Case([&](FileLineColRange range) { stack.push_back({range, function}); })
      .Case([&](NameLoc name) {
        StringRef text = name.getName().getValue();
        appendStack(name.getChildLoc(), text.ends_with("()") ? text : function,
                    stack, limit);
      })
      .Case([&](CallSiteLoc call) {
        appendStack(call.getCallee(), function, stack, limit);
        appendStack(call.getCaller(), StringRef(), stack, limit);
      })
      .Case([&](FusedLoc fused) {
        if (!fused.getLocations().empty())
          appendStack(fused.getLocations().front(), function, stack, limit);
      })
      .Case([&](OpaqueLoc opaque) {
        appendStack(opaque.getFallbackLocation(), function, stack, limit);
      });
}

SmallVector<Location> tripy::userLocations(Location location) {
  SetVector<Location> found;
  Walk walk;
  auto onUser = [&](Location user) { found.insert(user); };
  walk.onUser = onUser;
  walk.visit(location);
  return found.takeVector();
}

SmallVector<UserPlace> tripy::callStack(Location location) {
  SmallVector<UserPlace> stack;
  for (Location user : userLocations(location)) {
    appendStack(user, StringRef(), stack);
    if (!stack.empty())
      break;
  }
  return stack;
}

SmallVector<UserPlace> tripy::userPlaces(Location location) {
  SmallVector<UserPlace> places;
  DenseSet<Location> seen;
  for (Location user : userLocations(location)) {
    SmallVector<UserPlace> stack;
    appendStack(user, StringRef(), stack);
    if (!stack.empty() && seen.insert(stack.front().range).second)
      places.push_back(stack.front());
  }
  return places;
}

Location tripy::placeOf(Location location) {
  SmallVector<UserPlace> stack = callStack(location);
  if (stack.empty())
    return location;
  FileLineColRange range = stack.front().range;
  return FileLineColLoc::get(range.getFilename(), range.getStartLine(),
                             range.getStartColumn());
}

SmallVector<WhyAttr> tripy::whysOf(Location location) {
  SetVector<WhyAttr> found;
  Walk walk;
  auto onWhy = [&](WhyAttr why) { found.insert(why); };
  walk.onWhy = onWhy;
  walk.visit(location);
  return found.takeVector();
}

/// Whether a location that no lowering made says something.
static bool isKnownUserLocation(Location location) {
  if (auto opaque = dyn_cast<OpaqueLoc>(location))
    return isKnownUserLocation(opaque.getFallbackLocation());
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return isKnownLocation(call.getCallee()) ||
           isKnownLocation(call.getCaller());
  return isa<FileLineColRange, NameLoc>(location);
}

bool tripy::isKnownLocation(Location location) {
  return llvm::any_of(userLocations(location), isKnownUserLocation);
}

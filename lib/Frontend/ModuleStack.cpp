//===- ModuleStack.cpp - Calls of modules that go on now ------------------===//

#include "ModuleStack.h"

#include <mutex>
#include <unordered_set>

using namespace tripy;
using namespace tripy::frontend;

namespace {
struct Entry {
  /// Null for a function of the user's.
  const Module *module;
  SourceLoc call;
  bool isLayer;
  /// Made when it is asked for.
  std::shared_ptr<const ModuleCalls> calls;
};
} // namespace

static thread_local std::vector<Entry> stack;
static thread_local int traces = 0;

bool tripy::frontend::isTracing() { return traces > 0; }
TraceScope::TraceScope() { ++traces; }
TraceScope::~TraceScope() { --traces; }

detail::ModuleScope::ModuleScope(const Module &module, SourceLoc call,
                                 bool isLayer) {
  stack.push_back({&module, call, isLayer, nullptr});
}
detail::ModuleScope::~ModuleScope() { stack.pop_back(); }

CallFrame::CallFrame(SourceLoc caller) {
  stack.push_back({nullptr, caller, /*isLayer=*/false, nullptr});
}
CallFrame::~CallFrame() { stack.pop_back(); }

SourceLoc detail::ModuleScope::currentCall() {
  return stack.empty() ? SourceLoc() : stack.back().call;
}

namespace {
/// Looks for a module among the descendants of another one.
class ChildFinder : public ModuleVisitor {
public:
  explicit ChildFinder(const Module *wanted) : wanted(wanted) {}
  void parameter(const std::string &, Parameter &) override {}
  void child(const std::string &name, Module &module) override {
    if (!found.empty())
      return;
    std::string outer = prefix;
    prefix += "." + name;
    if (&module == wanted)
      found = prefix;
    else
      module.visitMembers(*this);
    prefix = outer;
  }
  /// ".c_fc", or "".
  std::string found;

private:
  const Module *wanted;
  std::string prefix;
};
} // namespace

/// What `child` adds to the path of `parent`, which called it.
static std::string stepOf(const Module &parent, const Module &child) {
  ChildFinder finder(&child);
  // Visitors get what they may change; this one does not.
  const_cast<Module &>(parent).visitMembers(finder);
  return finder.found.empty() ? "." + child.typeName() : finder.found;
}

static std::shared_ptr<const ModuleCalls> makeCalls(size_t depth) {
  auto calls = std::make_shared<ModuleCalls>();
  const Module *outer = nullptr;
  for (size_t i = 0; i <= depth; ++i) {
    const Module *module = stack[i].module;
    if (!module || module == outer)
      continue;
    calls->path += outer ? stepOf(*outer, *module) : module->typeName();
    outer = module;
  }
  calls->isLayer = stack[depth].isLayer;
  // An operation of a layer stands where the layer is called.
  for (size_t i = depth + 1; i-- > 0;)
    if (const SourceLoc &call = stack[i].call;
        call.line > 0 && !(i == depth && calls->isLayer))
      calls->callers.push_back(
          {call.file, call.function, call.line, call.column});
  return calls;
}

std::shared_ptr<const ModuleCalls> tripy::frontend::currentModuleCalls() {
  if (stack.empty())
    return nullptr;
  if (!stack.back().calls)
    stack.back().calls = makeCalls(stack.size() - 1);
  return stack.back().calls;
}

std::shared_ptr<const ModuleCalls> tripy::frontend::tracedModuleCalls() {
  return traces > 0 ? currentModuleCalls() : nullptr;
}

const char *ModuleCalls::functionText(const char *function) const {
  if (path.empty())
    return function;
  struct Texts {
    std::mutex mutex;
    std::unordered_set<std::string> all;
  };
  static Texts *texts = new Texts; // nodes may outlive statics
  std::lock_guard lock(texts->mutex);
  return texts->all.insert(path + "." + (isLayer ? "forward" : function))
      .first->c_str();
}

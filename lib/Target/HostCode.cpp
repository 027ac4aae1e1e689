//===- HostCode.cpp - Machine code for the host ---------------------------===//

#include "tripy/Target/HostCode.h"

#include "CodeGen.h"
#include "FlatLinker.h"
#include "Partition.h"

#include "tripy/Target/CodeWatch.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::target;

/// What LLVM may call by itself, and would find in libc and compiler-rt.
///
/// Memory functions are byte loops that the vectoriser widens; "no-builtins"
/// keeps them from becoming calls of themselves.
///
/// __truncdfhf2 rounds an f64 to f16, to nearest even. No program asks for it:
/// a cast rounds to f32 first, to odd. But LLVM 22 passes the f64 that the sign
/// of a copysign came from through the roundings to the copysign's own type.
static constexpr llvm::StringLiteral supportFunctions = R"(
define ptr @memcpy(ptr noalias %to, ptr noalias %from, i64 %n) "no-builtins" nounwind {
entry:
  %empty = icmp eq i64 %n, 0
  br i1 %empty, label %done, label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = getelementptr i8, ptr %from, i64 %i
  %b = getelementptr i8, ptr %to, i64 %i
  %x = load i8, ptr %a
  store i8 %x, ptr %b
  %next = add nuw i64 %i, 1
  %end = icmp eq i64 %next, %n
  br i1 %end, label %done, label %loop
done:
  ret ptr %to
}
define ptr @memset(ptr %to, i32 %value, i64 %n) "no-builtins" nounwind {
entry:
  %byte = trunc i32 %value to i8
  %empty = icmp eq i64 %n, 0
  br i1 %empty, label %done, label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %b = getelementptr i8, ptr %to, i64 %i
  store i8 %byte, ptr %b
  %next = add nuw i64 %i, 1
  %end = icmp eq i64 %next, %n
  br i1 %end, label %done, label %loop
done:
  ret ptr %to
}
define ptr @memmove(ptr %to, ptr %from, i64 %n) "no-builtins" nounwind {
entry:
  %empty = icmp eq i64 %n, 0
  br i1 %empty, label %done, label %some
some:
  %upward = icmp ule ptr %to, %from
  br i1 %upward, label %up, label %down
up:
  %i = phi i64 [ 0, %some ], [ %next, %up ]
  %a = getelementptr i8, ptr %from, i64 %i
  %b = getelementptr i8, ptr %to, i64 %i
  %x = load i8, ptr %a
  store i8 %x, ptr %b
  %next = add nuw i64 %i, 1
  %end = icmp eq i64 %next, %n
  br i1 %end, label %done, label %up
down:
  %j = phi i64 [ %n, %some ], [ %before, %down ]
  %before = sub nuw i64 %j, 1
  %c = getelementptr i8, ptr %from, i64 %before
  %d = getelementptr i8, ptr %to, i64 %before
  %y = load i8, ptr %c
  store i8 %y, ptr %d
  %first = icmp eq i64 %before, 0
  br i1 %first, label %done, label %down
done:
  ret ptr %to
}
define half @__truncdfhf2(double %x) nounwind {
  %bits = bitcast double %x to i64
  %magnitude = and i64 %bits, u0x7fffffffffffffff
  ; 42 bits fewer of mantissa, rounded to even; 1023 - 15 less of exponent.
  %shifted = lshr i64 %magnitude, 42
  %last = and i64 %shifted, 1
  %belowHalf = add i64 %magnitude, u0x1ffffffffff
  %rounded = add i64 %belowHalf, %last
  %moved = lshr i64 %rounded, 42
  %normal = sub i64 %moved, u0xfc000
  ; Below 2^-14: the last place of 2^28 is 2^-24, that of f16's denormals.
  %positive = bitcast i64 %magnitude to double
  %sum = fadd double %positive, 0x41B0000000000000
  %sumBits = bitcast double %sum to i64
  %denormal = sub i64 %sumBits, u0x41b0000000000000
  %isDenormal = icmp ult i64 %magnitude, u0x3f10000000000000
  %finite = select i1 %isDenormal, i64 %denormal, i64 %normal
  ; From 65520 on infinity; NaN is quiet.
  %isLarge = icmp uge i64 %magnitude, u0x40effe0000000000
  %number = select i1 %isLarge, i64 u0x7c00, i64 %finite
  %isNaN = icmp ugt i64 %magnitude, u0x7ff0000000000000
  %code = select i1 %isNaN, i64 u0x7e00, i64 %number
  %top = lshr i64 %bits, 48
  %sign = and i64 %top, u0x8000
  %all = or i64 %code, %sign
  %narrow = trunc i64 %all to i16
  %half = bitcast i16 %narrow to half
  ret half %half
}
)";

static std::unique_ptr<llvm::TargetMachine>
createMachine(const HostTarget &host) {
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  std::string features;
  for (const std::string &feature : host.features)
    features += (features.empty() ? "+" : ",+") + feature;
  llvm::TargetOptions options;
  options.FunctionSections = true;
  options.DataSections = true;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, "x86-64", features, options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Aggressive));
}

/// Only the listed features may be used; the processor's name is for
/// scheduling.
static void prepareModule(llvm::Module &module, llvm::TargetMachine &machine,
                          const HostTarget &host) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  std::string width = std::to_string(host.vectorBits());
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.addFnAttr("target-cpu", "x86-64");
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    function.addFnAttr("tune-cpu", host.cpu);
    function.addFnAttr("prefer-vector-width", width);
    if (!function.hasLocalLinkage())
      function.setVisibility(llvm::GlobalValue::HiddenVisibility);
  }
}

static bool compileModule(llvm::Module &module, const HostTarget &host,
                          Emission kind, SmallVectorImpl<char> &out,
                          CodeWatch *watch) {
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(host);
  if (!machine)
    return false;
  prepareModule(module, *machine, host);
  optimizeModule(module, *machine, watch);
  return emitModule(module, *machine, kind, out, watch);
}

static LogicalResult compilePart(Operation *part, const HostTarget &host,
                                 Emission kind, SmallVectorImpl<char> &out,
                                 CodeWatch *watch) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      translatePart(part, /*device=*/false, context);
  if (!module)
    return failure();
  if (!compileModule(*module, host, kind, out, watch))
    return emitError(part->getLoc(), "this LLVM makes no x86-64 code");
  return success();
}

static bool compileSupportFunctions(const HostTarget &host,
                                    SmallVectorImpl<char> &out) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(supportFunctions, diagnostic, context);
  return module &&
         compileModule(*module, host, Emission::Object, out, /*watch=*/nullptr);
}

static FailureOr<PartOutputs> compileAll(ModuleOp hostCode,
                                         const HostTarget &host, Emission kind,
                                         CodeWatch *watch) {
  return compileParts(
      hostCode, countThreads(hostCode.getContext()),
      [&](Operation *part, size_t, SmallVectorImpl<char> &out) {
        return compilePart(part, host, kind, out, watch);
      },
      watch);
}

FailureOr<HostCode> target::compileHostCode(ModuleOp hostCode,
                                            ArrayRef<std::string> kernels,
                                            const HostTarget &host,
                                            CodeWatch *watch) {
  auto objects = compileAll(hostCode, host, Emission::Object, watch);
  if (failed(objects))
    return failure();
  auto refs = [&] {
    return llvm::map_to_vector(*objects, [](const SmallVector<char, 0> &bytes) {
      return StringRef(bytes.data(), bytes.size());
    });
  };
  Result<std::vector<std::string>> missing = undefinedSymbols(refs());
  if (missing && !missing->empty()) {
    objects->emplace_back();
    if (!compileSupportFunctions(host, objects->back()))
      return emitError(hostCode.getLoc(),
                       "support functions cannot be compiled");
  }
  TimingScope scope = watch ? watch->nest("link") : TimingScope();
  Result<LinkedCode> linked = linkFlat(refs(), kernels);
  if (!linked)
    return emitError(hostCode.getLoc(), linked.status().message());
  return HostCode{std::move(linked->bytes), std::move(linked->entries)};
}

FailureOr<std::string> target::printHostAssembly(ModuleOp hostCode,
                                                 const HostTarget &host) {
  auto texts =
      compileAll(hostCode, host, Emission::Assembly, /*watch=*/nullptr);
  if (failed(texts))
    return failure();
  std::string all;
  for (const SmallVector<char, 0> &text : *texts)
    all.append(text.begin(), text.end());
  return all;
}

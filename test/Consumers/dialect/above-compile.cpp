// above-compile PROGRAM OUTPUT: for the CPU.
#include "Above.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "tripy/Compiler/Compiler.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tripy::registerCompilerDialects(registry);
  registry.insert<above::AboveDialect>();
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  mlir::PassManager passes(&context);
  passes.addPass(above::createLowerPass());
  return failed(passes.run(*module)) ||
         failed(tripy::compileToFile(*module, argv[2], {}));
}

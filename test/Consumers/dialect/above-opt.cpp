#include "Above.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tripy/Pipelines/InitAll.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tripy::registerTripyAndUpstreamDialects(registry);
  registry.insert<above::AboveDialect>();
  tripy::registerTripyAndUpstreamPasses();
  mlir::registerPass(above::createLowerPass);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "runs passes on above\n", registry));
}

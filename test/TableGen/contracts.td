// RUN: tripy-tblgen -gen-contracts %include %s | FileCheck %s
// RUN: tripy-tblgen -gen-rule-list %include %s | FileCheck %s --check-prefix=RULES
// RUN: tripy-tblgen -gen-op-docs %include %s | FileCheck %s --check-prefix=DOCS

include "mlir/Interfaces/InferTypeOpInterface.td"
include "tripy/Dialect/Common/OpBase.td"

def Toy_Dialect : Dialect {
  let name = "toy";
  let cppNamespace = "::tripy::toy";
  let summary = "A dialect for tests";
}

def Toy_Inferring : Op<Toy_Dialect, "inferring">, TripyContract {
  let summary = "Infers its result";
  let description = [{
    Text with `code` and a | bar.

      indented
  }];
  let arguments = (ins Tripy_Tensor:$input, Optional<Tripy_Tensor>:$other,
                       I64Attr:$some_dim, DefaultValuedAttr<I64Attr, "3">:$count);
  let results = (outs Tripy_Tensor:$result);
  let infers = 1;
  let rules = [
    Rule<"C1", "a \"quoted\" | text", "isDim($some_dim, rankOf($input))",
         "\"found \" << $some_dim">,
    Rule<"C2", "no values shown", "!$other || $count > 2">];
  let inferred = "$input.getType()";
}
// CHECK: namespace tripy::toy {
// CHECK: ::llvm::LogicalResult Inferring::checkRules(
// CHECK-NEXT: Adaptor in, ::llvm::function_ref<::mlir::InFlightDiagnostic()> emit) {
// CHECK-NEXT: if (!(isDim(in.getSomeDim(), rankOf(in.getInput()))))
// CHECK-NEXT: return emit() << "violates [toy.inferring C1] a \"quoted\" | text"
// CHECK-NEXT: << "; " << "found " << in.getSomeDim();
// CHECK-NEXT: if (!(!in.getOther() || in.getCount() > 2))
// CHECK-NEXT: return emit() << "violates [toy.inferring C2] no values shown";
// CHECK-NEXT: return ::mlir::success();
// CHECK: void Inferring::inferResults(
// CHECK: out.push_back(in.getInput().getType());
// CHECK: ::llvm::LogicalResult Inferring::inferReturnTypes(
// CHECK: inferenceError(context, loc, getOperationName())
// CHECK: inferResults(in, out);

// RULES: toy.inferring C1 a "quoted" | text
// RULES-NEXT: toy.inferring C2 no values shown
// RULES-NEXT: toy.plain C1 the result is seen
// RULES-NOT: toy

// DOCS: # The `toy` dialect
// DOCS: ## `toy.inferring`
// DOCS: Infers its result.
// DOCS: {{^}}Text with `code` and a | bar.
// DOCS: {{^}}  indented
// DOCS: | `input` | ranked tensor
// DOCS-NEXT: | `other` (optional) |
// DOCS: | `some_dim` | 64-bit signless integer attribute |  |
// DOCS-NEXT: | `count` | 64-bit signless integer attribute | `3` |
// DOCS: | `result` |
// DOCS: | C1 | a "quoted" \| text |
// DOCS-NEXT: | C2 | no values shown |

def Toy_Plain : Op<Toy_Dialect, "plain">, TripyContract {
  let summary = "Rules see the result";
  let arguments = (ins Variadic<Tripy_Tensor>:$inputs);
  let results = (outs Tripy_Tensor:$result);
  let regions = (region AnyRegion:$body);
  let rules = [Rule<"C1", "the result is seen",
                    "check($inputs, $result, $body, in->getLoc())">];
}
// CHECK: ::llvm::LogicalResult Plain::checkRules(
// CHECK-NEXT: ::mlir::Operation *op, {{.*}} emit) {
// CHECK-NEXT: {{.*}}maybe_unused{{.*}} auto in = ::llvm::cast<Plain>(op);
// CHECK-NEXT: if (!(check(in.getInputs(), in.getResult(), in.getBody(), in->getLoc())))
// CHECK-NOT: Plain::infer

def Toy_Fixed : Op<Toy_Dialect, "fixed">, TripyContract {
  let summary = "MLIR infers a fixed type itself";
  let results = (outs Index:$result);
  let infers = 1;
  let inferred = "nothing";
}
// CHECK: void Fixed::inferResults(
// CHECK-NOT: Fixed::inferReturnTypes
// CHECK: } // namespace tripy::toy

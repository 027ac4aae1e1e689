//===- Functions.td - Operations of trace as C++ functions -*- tablegen -*-===//
//
// What the definitions of operations do not say about the C++ functions that
// tripy-tblgen makes of them: default arguments, operators, and which have a
// function written by hand. An operation that is not named here has a function
// all the same.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_FRONTEND_FUNCTIONS
#define TRIPY_FRONTEND_FUNCTIONS

include "tripy/Dialect/Trace/TraceOps.td"

/// A parameter of the function may be left out.
class CppDefault<string op, string parameterName, string cppValue> {
  string operation = op;
  string parameter = parameterName;
  string value = cppValue;
}
foreach op = ["sum", "prod", "max", "min", "all", "any", "mean", "var"] in
def : CppDefault<op, "dims", "{}">;
foreach op = ["softmax", "cumsum"] in
def : CppDefault<op, "dim", "-1">;
foreach op = ["gather", "scatter", "update_slice", "concatenate", "iota", "split"] in
def : CppDefault<op, "dim", "0">;
foreach op = ["iota", "random_uniform", "random_normal"] in
def : CppDefault<op, "dtype", "float32">;
foreach op = ["tril", "triu"] in
def : CppDefault<op, "diagonal", "0">;
foreach op = ["layer_norm", "rms_norm", "group_norm", "instance_norm", "batch_norm"] in
def : CppDefault<op, "eps", "1e-5">;
def : CppDefault<"transpose", "dim0", "-2">;
def : CppDefault<"transpose", "dim1", "-1">;
def : CppDefault<"elu", "alpha", "1.0">;
def : CppDefault<"leaky_relu", "slope", "0.01">;

/// The function is an operator.
class CppOperator<string op, string symbol> {
  string operation = op;
  string name = symbol;
}
def : CppOperator<"add", "+">;
def : CppOperator<"sub", "-">;
def : CppOperator<"mul", "*">;
def : CppOperator<"div", "/">;
def : CppOperator<"mod", "%">;
def : CppOperator<"neg", "-">;
def : CppOperator<"eq", "==">;
def : CppOperator<"ne", "!=">;
def : CppOperator<"lt", "<">;
def : CppOperator<"le", "<=">;
def : CppOperator<"gt", ">">;
def : CppOperator<"ge", ">=">;
def : CppOperator<"shift_left", "<<">;
def : CppOperator<"shift_right", ">>">;

/// There is no function: the operation needs more than a call can say.
class CppNone<string op> {
  string operation = op;
}
// Its declaration, a tripy.plugin beside the program's function.
def : CppNone<"plugin">;

/// The function that users call is written by hand, and calls that which is
/// made here, in tripy::op.
class CppByHand<string op> {
  string operation = op;
}
foreach op = ["constant", "full", "dim", "from_index", "slice", "pad", "split", "repeat", "logical_and", "logical_or",
              "logical_xor", "logical_not", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"] in
def : CppByHand<op>;

#endif // TRIPY_FRONTEND_FUNCTIONS

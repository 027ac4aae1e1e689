//===- EqualSizes.h - Sizes that are equal in every run ---------*- C++ -*-===//
//
// A dynamic size has a number, which it shares with the sizes that are known to
// be equal to it: x.shape()[0], (x * 2).shape()[0] and those that a reshape is
// given have one number. An operation passes on the numbers of its operands'
// sizes where its result has these sizes; others are new.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_FRONTEND_EQUALSIZES_H
#define TRIPY_LIB_FRONTEND_EQUALSIZES_H

#include "Graph.h"

namespace tripy::frontend {

/// Numbers the dynamic sizes of the results. Before the node is recorded.
void numberSizes(Node &node);

/// Replaces the -1 among the sizes of a reshape by a number where dynamic sizes
/// cancel: (b, t, 768) to (b, t, 12, -1) is to (b, t, 12, 64). Where they do
/// not, or the quotient is not exact, the -1 stays. Before types are inferred.
void inferReshapedSize(Node &reshape);

} // namespace tripy::frontend

#endif // TRIPY_LIB_FRONTEND_EQUALSIZES_H

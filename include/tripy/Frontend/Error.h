//===- Error.h - What the frontend throws -----------------------*- C++ -*-===//
//
//   try {
//     std::cout << a + b;
//   } catch (const tripy::Error &error) {
//     std::cerr << error.what();   // with the user's lines
//   }
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_FRONTEND_ERROR_H
#define TRIPY_FRONTEND_ERROR_H

#include "tripy/Base/Status.h"
#include "tripy/Frontend/SourceLoc.h"

#include <iosfwd>
#include <stdexcept>
#include <string>
#include <vector>

namespace tripy {

/// "ShapeOutOfRange".
std::ostream &operator<<(std::ostream &os, Code code);

/// A line of the user's program in an error.
struct ErrorFrame {
  SourceLoc loc;
  /// The role of the line: "" for the call itself, whose function includes the
  /// names of the modules that it is in ("MLP.c_fc.forward"); "Input 0, ..."
  /// for its operands; "called from" for the calls of modules and of functions
  /// with a CallFrame, innermost first; "Note: Tripy introduced this operation
  /// in order to ..." without a line.
  std::string role;
};

/// The only exception type of the frontend. what() is the message with the
/// user's lines; their text is read from the source files if available.
/// \code
///   try {
///     tp::reshape(tp::ones({2, 3}), {4}).eval();
///   } catch (const tp::Error &error) {
///     std::cout << error.code();
///   }
///   // InvalidArgument
/// \endcode
class Error : public std::runtime_error {
public:
  /// `summary` is one sentence that starts in lower case and has no full stop;
  /// further lines only appear in what(). `frames` starts with the failed call.
  Error(Code code, const std::string &summary,
        std::vector<ErrorFrame> frames = {});
  /// With the compiler's text, which already contains the user's lines, and the
  /// line that caused the compilation.
  static Error withText(Code code, const std::string &text, SourceLoc loc);

  Code code() const { return failCode; }
  /// Only the sentence.
  const std::string &summary() const { return sentence; }
  const std::vector<ErrorFrame> &frames() const { return places; }

private:
  struct Whole {};
  Error(Whole, Code code, const std::string &text, SourceLoc loc);

  Code failCode;
  std::string sentence;
  std::vector<ErrorFrame> places;
};

/// Prints what(); with colors if `os` is standard output or standard error on a
/// terminal, unless the environment has NO_COLOR or TERM=dumb.
std::ostream &operator<<(std::ostream &os, const Error &error);

} // namespace tripy

#endif // TRIPY_FRONTEND_ERROR_H

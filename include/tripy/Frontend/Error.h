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

/// A line of the user's that an error is about.
struct ErrorFrame {
  SourceLoc loc;
  /// What stands there: "" for the call itself, whose function has the names of
  /// the modules that it is in ("MLP.c_fc.forward"); "Input 0, ..." for what it
  /// was given; "called from" for the calls of modules and of functions with a
  /// CallFrame, innermost first; "Note: Tripy introduced this operation in
  /// order to ..." without a line.
  std::string role;
};

/// The one exception of the frontend. what() is the message with the user's
/// lines; their text is read from the source files where these are at hand.
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
  /// `summary` is one sentence: lower-case start, no full stop; further lines
  /// are a part of what() alone. `frames` starts with the call that failed.
  Error(Code code, const std::string &summary,
        std::vector<ErrorFrame> frames = {});
  /// With the compiler's text, which holds lines of the user's already, and the
  /// line that made it compile.
  static Error withText(Code code, const std::string &text, SourceLoc loc);

  Code code() const { return failCode; }
  /// The sentence alone.
  const std::string &summary() const { return sentence; }
  const std::vector<ErrorFrame> &frames() const { return places; }

private:
  struct Whole {};
  Error(Whole, Code code, const std::string &text, SourceLoc loc);

  Code failCode;
  std::string sentence;
  std::vector<ErrorFrame> places;
};

/// What what() gives; with colours where `os` is standard output or standard
/// error on a terminal, unless the environment has NO_COLOR or TERM=dumb.
std::ostream &operator<<(std::ostream &os, const Error &error);

} // namespace tripy

#endif // TRIPY_FRONTEND_ERROR_H

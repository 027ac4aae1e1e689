//===- Log.h - What the frontend reports ------------------------*- C++ -*-===//
//
// TRIPY_LOG chooses what is written to standard error: "info", or a level for a
// component, "compile:debug,eager:off". Both halves of the frontend use it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_FRONTEND_LOG_H
#define TRIPY_LIB_FRONTEND_LOG_H

#include <chrono>
#include <string>
#include <string_view>

namespace tripy::frontend {

/// compile: each program that is compiled. eager: evaluations, and whether
/// their program was there. run: each run of a program.
enum class LogComponent { Compile, Eager, Run };
enum class LogLevel { Off, Warning, Info, Debug };

/// Whether messages of this level are written. The environment is read once;
/// what it says wrong is written to standard error.
bool isLogged(LogComponent component, LogLevel level);

/// Writes "tripy: compile: info: text" where isLogged() says so.
void log(LogComponent component, LogLevel level, std::string_view text);

/// What TRIPY_DUMP_IR says, the folder for the IR of programs; "" where it is
/// not set.
std::string_view dumpFolder();

/// Milliseconds since it was made, as "12.3 ms".
class LogTimer {
public:
  std::string text() const;

private:
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};

} // namespace tripy::frontend

#endif // TRIPY_LIB_FRONTEND_LOG_H

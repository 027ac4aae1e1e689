//===- Signals.h - What a tool does when it is ended ------------*- C++ -*-===//
//
// For main functions: a library has no business with signals. Base only.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_BASE_SIGNALS_H
#define TRIPY_BASE_SIGNALS_H

namespace tripy {

/// Removes the temporary files of this process, for what is about to end it
/// without destructors. May be called by signal handlers.
void removeTemporaryFiles();

/// From now on SIGHUP, SIGINT and SIGTERM remove the temporary files of this
/// process before they end it as they would have; signals that are ignored
/// stay ignored. A write beyond the limit of a file's size fails instead of
/// ending the process, and a mapped file that becomes shorter ends it with
/// `exitStatus` and a sentence that starts with `tool`, a text that lives as
/// long as the process. Call it once, after other handlers are installed.
void handleSignals(const char *tool, int exitStatus);

} // namespace tripy

#endif // TRIPY_BASE_SIGNALS_H

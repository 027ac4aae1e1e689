// Undefined behaviour ends a tool by a signal, as a crash does, and not with
// the exit status of a program that was refused.
extern "C" const char *__ubsan_default_options();

const char *__ubsan_default_options() { return "abort_on_error=1"; }

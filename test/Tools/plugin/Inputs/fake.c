// A plugin for passes and dialects that says of itself what the macros say.
#include <stdint.h>
#include <stdlib.h>

struct info {
  uint32_t api_version;
  const char *name, *version;
  void (*callback)(void *);
};

#ifndef VERSION
#define VERSION 1
#endif
#ifndef CALLBACK
#define CALLBACK 0
#endif

static struct info describe(void) {
  struct info info = {VERSION, "fake", "1", CALLBACK};
  return info;
}
#ifndef NO_ENTRY
struct info mlirGetPassPluginInfo(void) { return describe(); }
struct info mlirGetDialectPluginInfo(void) { return describe(); }
#endif
#ifdef ABORTS
__attribute__((constructor)) static void start(void) { abort(); }
#endif

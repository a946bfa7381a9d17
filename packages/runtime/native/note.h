// The versions, also as an ELF note that `cni-build inspect` reads: name "CNI", type 1, the description is JSON.
// CNI_VERSION, CNI_QUICKJS, CNI_MUSL and CNI_BUILD come from the build: scripts/lib/runtime.
#ifndef CNI_NOTE_H
#define CNI_NOTE_H
#include "host.h"

#define NOTE_JSON                                                                                               \
  "{\"runtime\":\"" CNI_VERSION "\",\"quickjs\":\"" CNI_QUICKJS "\",\"musl\":\"" CNI_MUSL "\",\"arch\":\"" HOST_ARCH \
  "\",\"build\":\"" CNI_BUILD "\"}"
#endif

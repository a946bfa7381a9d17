// Versions of the parts, also as an ELF note for `cni-build inspect`: name "CNI", type 1, the description is JSON.
// scripts/lib/runtime sets CNI_VERSION, CNI_QUICKJS, CNI_MUSL and CNI_BUILD.
#ifndef CNI_NOTE_H
#define CNI_NOTE_H
#include "host.h"

#define NOTE_JSON                                                                                               \
  "{\"runtime\":\"" CNI_VERSION "\",\"quickjs\":\"" CNI_QUICKJS "\",\"musl\":\"" CNI_MUSL "\",\"arch\":\"" HOST_ARCH \
  "\",\"build\":\"" CNI_BUILD "\"}"
#endif

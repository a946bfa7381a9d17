#include "note.h"

#define ROUNDED ((sizeof NOTE_JSON + 2) & ~3ul)

__attribute__((section(".note.cni"), used, retain, aligned(4))) const struct {
  uint32_t name_size;
  uint32_t description_size;
  uint32_t type;
  char name[4];
  char description[ROUNDED];
} cni_note = {4, sizeof NOTE_JSON - 1, 1, "CNI", NOTE_JSON};

// The linker makes a program header (PT_GNU_RELRO) for data of this section, which no static program reads: image.c turns
// it into the one that loads the image.
__attribute__((section(".data.rel.ro"), used, retain)) const char cni_spare_header[8] = "spare";

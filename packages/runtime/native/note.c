#include "note.h"

#define ROUNDED ((sizeof NOTE_JSON + 2) & ~3ul)

__attribute__((section(".note.cni"), used, retain, aligned(4))) const struct {
  uint32_t name_size;
  uint32_t description_size;
  uint32_t type;
  char name[4];
  char description[ROUNDED];
} cni_note = {4, sizeof NOTE_JSON - 1, 1, "CNI", NOTE_JSON};

// The linker makes a PT_GNU_RELRO program header for this section. A static program does not use the header: image.c
// turns it into the header that loads the image.
__attribute__((section(".data.rel.ro"), used, retain)) const char cni_spare_header[8] = "spare";

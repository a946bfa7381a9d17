#include "image.h"
#include <elf.h>
#include <string.h>

uint64_t image_offset(uint64_t size, const ImageSegment *segment) {
  return (size + segment->align - 1) & ~(segment->align - 1);
}

// PT_GNU_RELRO has no effect in a static program, so its header is free for the image.
static int is_spare(const Elf64_Phdr *header) { return header->p_type == PT_GNU_RELRO; }

const char *image_add_segment(uint8_t *elf, size_t size, const ImageSegment *segment) {
  Elf64_Ehdr file;
  if (size < sizeof file) return "it is shorter than an ELF header";
  memcpy(&file, elf, sizeof file);
  if (memcmp(file.e_ident, ELFMAG, SELFMAG) != 0 || file.e_ident[EI_CLASS] != ELFCLASS64) return "it is no ELF file";
  if (file.e_type != ET_EXEC || file.e_phentsize != sizeof(Elf64_Phdr)) return "it is no static ELF program";
  if (file.e_phoff > size || file.e_phnum > (size - file.e_phoff) / sizeof(Elf64_Phdr)) {
    return "its program headers are outside of the file";
  }
  long spare = -1;
  for (long i = 0; i < file.e_phnum; i++) {
    Elf64_Phdr header;
    memcpy(&header, elf + file.e_phoff + (size_t)i * sizeof header, sizeof header);
    if (header.p_type == PT_LOAD && header.p_vaddr >= segment->address) return "it has an image already";
    if (is_spare(&header)) spare = i;
  }
  if (spare < 0) return "it has no spare program header";
  Elf64_Phdr image = {
      .p_type = PT_LOAD,
      .p_flags = PF_R | PF_W,
      .p_offset = image_offset(size, segment),
      .p_vaddr = segment->address,
      .p_paddr = segment->address,
      .p_filesz = segment->length,
      .p_memsz = segment->length + segment->room,
      .p_align = segment->align,
  };
  memcpy(elf + file.e_phoff + (size_t)spare * sizeof image, &image, sizeof image);
  return 0;
}

uint64_t image_loaded(const void *headers, size_t count, uint64_t address) {
  for (size_t i = 0; headers && i < count; i++) {
    Elf64_Phdr header;
    memcpy(&header, (const char *)headers + i * sizeof header, sizeof header);
    if (header.p_type == PT_LOAD && header.p_vaddr == address) return header.p_filesz;
  }
  return 0;
}

// The heap image as a segment of an ELF file. Knows nothing of the engine.
#ifndef CNI_IMAGE_H
#define CNI_IMAGE_H
#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint64_t address;
  uint64_t length;
  uint64_t room; // zeroed memory behind it
  uint64_t align;
} ImageSegment;

// The size of the file without the image: `size` rounded up to the alignment.
uint64_t image_offset(uint64_t size, const ImageSegment *segment);

// Turns the spare program header of a static ELF file into one that loads the image from image_offset(size).
// Returns 0, or a reason.
const char *image_add_segment(uint8_t *elf, size_t size, const ImageSegment *segment);

// Finds, by the kernel's AT_PHDR, the bytes of the running program's segment at `address`, 0 if there is none.
uint64_t image_loaded(const void *headers, size_t count, uint64_t address);
#endif

// Adds the heap image to an ELF file as a segment. Does not depend on the engine.
#ifndef CNI_IMAGE_H
#define CNI_IMAGE_H
#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint64_t address;
  uint64_t length;
  uint64_t room; // size of zeroed memory behind the image
  uint64_t align;
} ImageSegment;

// Offset of the image in the file: `size` rounded up to the alignment.
uint64_t image_offset(uint64_t size, const ImageSegment *segment);

// Turns the spare program header of a static ELF file into a header that loads the image from image_offset(size).
// Returns 0, or the reason of a failure.
const char *image_add_segment(uint8_t *elf, size_t size, const ImageSegment *segment);

// Size of the running program's segment at `address`, 0 if it has none. The program headers are found by AT_PHDR.
uint64_t image_loaded(const void *headers, size_t count, uint64_t address);
#endif

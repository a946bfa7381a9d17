// fuzz-image ELF SEED ROUNDS: adds an image to damaged copies of the beginning of a file. Prints the number of accepted
// copies.
#include "image.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;
static uint32_t draw(uint32_t below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33) % below;
}

int main(int count, char **values) {
  if (count != 4) return 2;
  FILE *file = fopen(values[1], "rb");
  static uint8_t whole[4096];
  size_t size = file ? fread(whole, 1, sizeof whole, file) : 0;
  state = strtoull(values[2], 0, 10);
  int accepted = 0;
  for (int round = atoi(values[3]); round > 0; round--) {
    size_t cut = draw(4) == 0 ? draw((uint32_t)size + 1) : size;
    uint8_t *elf = malloc(cut);
    memcpy(elf, whole, cut);
    // ELF header and program headers are in the first 500 bytes.
    for (uint32_t i = draw(6); i > 0 && cut > 0; i--) elf[draw(cut < 500 ? (uint32_t)cut : 500)] = (uint8_t)draw(256);
    ImageSegment segment = {0x2000000000, draw(1 << 20), 64 << 20, 0x10000};
    if (!image_add_segment(elf, cut, &segment)) accepted++;
    size_t headers = cut / 56;
    if (cut > 0) image_loaded(elf, headers, segment.address);
    free(elf);
  }
  printf("%d\n", accepted);
  return 0;
}

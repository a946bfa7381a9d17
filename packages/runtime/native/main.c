// cni-runtime. Without an image in its file it builds images, with an image it runs the program.
#include "build-image.h"
#include "host.h"
#include "image.h"
#include "note.h"
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

// Largest stack, about 3000 calls. A larger stack would give a hostile document more time.
#define STACK_MOST (2ul << 20)
// Stack for C functions below the engine's own check.
#define STACK_RESERVE (48ul << 10)

// Reports a truncated file. The kernel maps such a file and sends SIGBUS at an access behind its end.
static void cut_off(int signal) {
  SAY("this file is cut off, or was written to while it runs: copy it again");
  _exit(1);
}

static void catch_cut_off(void) {
  struct sigaction action = {.sa_handler = cut_off};
  sigaction(SIGBUS, &action, 0);
}

// Opens descriptors 0, 1 and 2 if they are closed. Otherwise a file that the program opens could become its stdout.
static void take_standard_descriptors(void) {
  for (int descriptor = 0; descriptor < 3; descriptor++) {
    if (fcntl(descriptor, F_GETFD) >= 0) continue;
    // Without /dev, an O_PATH descriptor makes reads and writes fail as on a closed descriptor.
    if (open("/dev/null", O_RDWR) < 0) open("/", O_PATH);
  }
}

// The stack limit counts from the top of the stack, where the environment is.
static void limit_stack(void) {
  struct rlimit limit;
  size_t allowed = 256ul << 10;
  if (getrlimit(RLIMIT_STACK, &limit) == 0) allowed = limit.rlim_cur;
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  uintptr_t top = getauxval(AT_EXECFN);
  size_t used = top > here ? top - here : 0;
  size_t room = allowed > used + STACK_RESERVE ? allowed - used - STACK_RESERVE : 0;
  if (room > STACK_MOST) room = STACK_MOST;
  engine_set_stack_limit(state->runtime, here - room);
}

static void seed(void) {
  uint64_t random[2];
  // getrandom() would block until the kernel's generator is ready. AT_RANDOM is always available.
  if (getrandom(random, sizeof random, GRND_NONBLOCK) != sizeof random) {
    memcpy(random, (const void *)getauxval(AT_RANDOM), sizeof random);
  }
  engine_seed(state->context, random[0], random[1]);
}

static void start(uint64_t length) {
  static State *const at_base = (State *)ARENA_BASE;
  catch_cut_off();
  state = at_base;
  int whole = memcmp(state->magic, IMAGE_MAGIC, sizeof state->magic) == 0 && state->length == length;
  if (!whole || strncmp(state->build, CNI_BUILD, sizeof state->build) != 0) {
    SAY("the image in this file was made by another version of cni-runtime: build the program again");
    _exit(1);
  }
  if (memcmp((char *)ARENA_BASE + length - IMAGE_END_SIZE, IMAGE_END, IMAGE_END_SIZE) != 0) cut_off(SIGBUS);
  engine_image_end = ARENA_BASE + length;
  take_standard_descriptors();
  limit_stack();
  seed();
  run_program();
}

int main(int count, char **values) {
  argument_count = count;
  arguments = values;
  environment = environ;
  uint64_t length = image_loaded((const void *)getauxval(AT_PHDR), getauxval(AT_PHNUM), ARENA_BASE);
  if (length > 0) start(length);
  if (count != 3) {
    SAY("usage: cni-runtime BYTECODE OUT");
    return 2;
  }
  build_image(values[1], values[2]);
}

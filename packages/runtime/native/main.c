// cni-runtime: without an image in it the builder of images, with one the program itself.
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

// The engine's frames are large: 2 MiB are about 3000 calls. More would let a hostile document take more time.
#define STACK_MOST (2ul << 20)
// For the frames of C below the engine's check.
#define STACK_RESERVE (48ul << 10)

// The kernel maps a file that is shorter than its headers say, and sends SIGBUS where it ends.
static void cut_off(int signal) {
  SAY("this file is cut off, or was written to while it runs: copy it again");
  _exit(1);
}

static void catch_cut_off(void) {
  struct sigaction action = {.sa_handler = cut_off};
  sigaction(SIGBUS, &action, 0);
}

// A file that the program opens must never become its stdout: descriptors 0, 1 and 2 are always taken.
static void take_standard_descriptors(void) {
  for (int descriptor = 0; descriptor < 3; descriptor++) {
    if (fcntl(descriptor, F_GETFD) >= 0) continue;
    // Without /dev reading and writing fail as they do on a closed descriptor.
    if (open("/dev/null", O_RDWR) < 0) open("/", O_PATH);
  }
}

// The limit counts from the top, where the environment is.
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
  // Before the kernel's generator is ready it would wait: what exec() drew is there always.
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

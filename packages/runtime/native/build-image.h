#ifndef CNI_BUILD_IMAGE_H
#define CNI_BUILD_IMAGE_H
_Noreturn void build_image(const char *bytecode, const char *path);
#endif

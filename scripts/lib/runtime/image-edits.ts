import type { Edit } from './edit.ts'

// Stops QuickJS from counting references to image objects, because writes would copy memory pages.

const WHY = 'references to what lies in the image are not counted'

const one = (find: string, replace: string, times = 1): Edit => ({ why: WHY, find, replace, times })

/** Changes in the file quickjs.h for the memory image. */
export const IMAGE_EDITS_OF_HEADER: readonly Edit[] = [
  one(
    'void __JS_FreeValue(JSContext *ctx, JSValue v);\n',
    `/* the address behind the image, 0 while it is made */
extern uintptr_t engine_image_end;
#define IN_IMAGE(p) ((uintptr_t)(p) < engine_image_end)

void __JS_FreeValue(JSContext *ctx, JSValue v);
`,
  ),
  one('        if (--p->ref_count <= 0) {\n', '        if (!IN_IMAGE(p) && --p->ref_count <= 0) {\n', 2),
  one('        p->ref_count++;\n', '        if (!IN_IMAGE(p))\n            p->ref_count++;\n', 2),
]

/** Changes in the file quickjs.c for the memory image. */
export const IMAGE_EDITS: readonly Edit[] = [
  {
    why: 'a suspended generator or async function of the image keeps no address of the stack',
    find: `    done_generator:
        sf->cur_pc = pc;
        sf->cur_sp = sp;
    } else {`,
    replace: `    done_generator:
        sf->cur_pc = pc;
        sf->cur_sp = sp;
        rt->current_stack_frame = sf->prev_frame;
        sf->prev_frame = NULL;
        return ret_val;
    } else {`,
    times: 1,
  },
  // The next changes stop QuickJS from counting references to names (atoms) in the memory image.
  one(
    '        p = rt->atom_array[v];\n        p->header.ref_count++;\n',
    '        p = rt->atom_array[v];\n        if (!IN_IMAGE(p))\n            p->header.ref_count++;\n',
    2,
  ),
  one(
    'if (!__JS_AtomIsConst(i))\n                    p->header.ref_count++;\n',
    'if (!__JS_AtomIsConst(i) && !IN_IMAGE(p))\n                    p->header.ref_count++;\n',
  ),
  one(
    'if (!__JS_AtomIsConst(i))\n                p->header.ref_count++;\n',
    'if (!__JS_AtomIsConst(i) && !IN_IMAGE(p))\n                p->header.ref_count++;\n',
  ),
  one(
    'if (__JS_AtomIsConst(i))\n                str->header.ref_count--;\n',
    'if (__JS_AtomIsConst(i) && !IN_IMAGE(str))\n                str->header.ref_count--;\n',
  ),
  one('    if (--p->header.ref_count > 0)\n', '    if (IN_IMAGE(p) || --p->header.ref_count > 0)\n'),
  one('    if (--str->header.ref_count <= 0) {\n', '    if (!IN_IMAGE(str) && --str->header.ref_count <= 0) {\n'),
  // The reference count of an image object stays 1. QuickJS would therefore wrongly modify shared objects in place.
  one('        if (p1->header.ref_count != 1)\n', '        if (IN_IMAGE(p1) || p1->header.ref_count != 1)\n'),
  one('} else if (sh->header.ref_count != 1) {\n', '} else if (IN_IMAGE(sh) || sh->header.ref_count != 1) {\n'),
  one('        if (sh->header.ref_count != 1) {\n', '        if (IN_IMAGE(sh) || sh->header.ref_count != 1) {\n'),
  // The next changes stop QuickJS from counting references to object shapes in the memory image.
  one('    sh->header.ref_count++;\n', '    if (!IN_IMAGE(sh))\n        sh->header.ref_count++;\n'),
  one(
    '    if (unlikely(--sh->header.ref_count <= 0)) {\n',
    '    if (!IN_IMAGE(sh) && unlikely(--sh->header.ref_count <= 0)) {\n',
  ),
  // The next changes stop QuickJS from counting references to closure variables in the memory image.
  one(' var_ref->header.ref_count++;\n', ' if (!IN_IMAGE(var_ref)) var_ref->header.ref_count++;\n', 6),
  one(
    '        pr->u.var_ref->header.ref_count++;\n',
    '        if (!IN_IMAGE(pr->u.var_ref))\n            pr->u.var_ref->header.ref_count++;\n',
  ),
  one(
    '        if (--var_ref->header.ref_count == 0) {\n',
    '        if (!IN_IMAGE(var_ref) && --var_ref->header.ref_count == 0) {\n',
  ),
  // The garbage collector treats objects of the memory image as always referenced.
  one(
    '    assert(p->ref_count > 0);\n    p->ref_count--;\n',
    '    if (IN_IMAGE(p))\n        return;\n    assert(p->ref_count > 0);\n    p->ref_count--;\n',
  ),
  one(
    '    p->ref_count++;\n    if (p->ref_count == 1) {\n',
    '    if (IN_IMAGE(p))\n        return;\n    p->ref_count++;\n    if (p->ref_count == 1) {\n',
  ),
  one(
    'JSGCObjectHeader *p)\n{\n    p->ref_count++;\n}\n',
    'JSGCObjectHeader *p)\n{\n    if (!IN_IMAGE(p))\n        p->ref_count++;\n}\n',
  ),
]

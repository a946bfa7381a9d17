import type { Edit } from './edit.ts'

/** Changes that repair faults of QuickJS and make its errors equal to the errors of Node.js. */
export const FAULT_EDITS: readonly Edit[] = [
  {
    why: 'deep recursion is the error that it is on Node',
    find: 'return JS_ThrowInternalError(ctx, "stack overflow");',
    replace: 'return JS_ThrowRangeError(ctx, "Maximum call stack size exceeded");',
    times: 1,
  },
  {
    why: 'yield in the head of a for-of loop: there is no iterator to close before the head is evaluated',
    find: `        break_entry.has_iterator = is_for_of = TRUE;
        break_entry.drop_count += 2;
`,
    replace: '        is_for_of = TRUE;\n',
    times: 1,
  },
  {
    why: 'the iterator of the edit above',
    find: `    if (is_for_of) {
        if (is_async)
            emit_op(s, OP_for_await_of_start);`,
    replace: `    if (is_for_of) {
        break_entry.has_iterator = TRUE;
        break_entry.drop_count += 2;
        if (is_async)
            emit_op(s, OP_for_await_of_start);`,
    times: 1,
  },
  {
    why: 'without memory for an error null is thrown, which can have no stack: the engine tried for ever',
    find: '    if (add_backtrace) {\n        build_backtrace(ctx, obj, NULL, 0, 0, 0);',
    replace: '    if (add_backtrace && JS_IsObject(obj)) {\n        build_backtrace(ctx, obj, NULL, 0, 0, 0);',
    times: 1,
  },
  {
    why: 'the error "out of memory" has a reserve: native/arena-memory.c',
    find: `        JS_ThrowInternalError(ctx, "out of memory");
`,
    replace: `        rt->malloc_state.malloc_limit += 1 << 20;
        JS_ThrowInternalError(ctx, "out of memory");
        rt->malloc_state.malloc_limit -= 1 << 20;
`,
    times: 1,
  },
  {
    why: 'a BigInt of 64 bits is printed without reading behind it, as in later releases',
    find: 'if (likely((shift + log2_radix) <= JS_LIMB_BITS)) {',
    replace: 'if (likely(shift + log2_radix <= JS_LIMB_BITS || pos + 1 >= r->len)) {',
    times: 1,
  },
  {
    why: 'the highest word of a BigInt may be zero, as in later releases',
    find: 'n_bits = r->len * JS_LIMB_BITS - js_limb_clz(r->tab[r->len - 1]);',
    replace: `n_bits = (r->len - (r->tab[r->len - 1] == 0)) * JS_LIMB_BITS;
        if (r->tab[r->len - 1] != 0)
            n_bits -= js_limb_clz(r->tab[r->len - 1]);`,
    times: 1,
  },
  {
    why: 'the number of bits of a text of digits fits an int, as in later releases',
    find: '    n_digits = strlen(p);\n    log2_radix = 32',
    replace: `    if (strlen(p) > JS_BIGINT_MAX_SIZE * JS_LIMB_BITS) {
        JS_ThrowRangeError(ctx, "BigInt is too large to allocate");
        return NULL;
    }
    n_digits = strlen(p);
    log2_radix = 32`,
    times: 1,
  },
  {
    why: 'lastIndexOf of an empty array reads nothing, as in later releases',
    find: '            if (isnan(d)) {\n                k = 0;\n            } else {\n                if (d >= 0) {\n                    if (d < k) {',
    replace:
      '            if (isnan(d)) {\n                k = len > 0 ? 0 : -1;\n            } else {\n                if (d >= 0) {\n                    if (d < k) {',
    times: 1,
  },
]

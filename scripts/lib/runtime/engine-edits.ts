import { Stop } from '../progress.ts'
import type { Edit } from './edit.ts'
import { IMAGE_EDITS, IMAGE_EDITS_OF_HEADER } from './image-edits.ts'

const KEYED_HASH = `
static uint64_t keyed_hash_units(JSValueConst val, uint64_t h, uint64_t key)
{
    if (JS_VALUE_GET_TAG(val) == JS_TAG_STRING_ROPE) {
        JSStringRope *r = JS_VALUE_GET_STRING_ROPE(val);
        h = keyed_hash_units(r->left, h, key);
        return keyed_hash_units(r->right, h, key);
    }
    const JSString *str = JS_VALUE_GET_STRING(val);
    for (uint32_t i = 0; i < str->len; i++)
        h = string_hash_add(h, str->is_wide_char ? str->u.str16[i] : str->u.str8[i], key);
    return h;
}

static uint32_t keyed_hash_string(JSValueConst val, uint32_t h, uint64_t key)
{
    return string_hash_end(keyed_hash_units(val, h, key));
}
`

const ENDS_HASH_STRING_ROPE = `        h = hash_string_rope(r->left, h);
        return hash_string_rope(r->right, h);
    }
}
`

/** Edits of quickjs.c. A newer engine in which one of the places is missing does not build. */
const EDITS: readonly Edit[] = [
  {
    why: 'hashes of foreign strings have a key: native/string-hash.h',
    find: '#include "dtoa.h"\n',
    replace: '#include "dtoa.h"\n#include "string-hash.h"\n',
    times: 1,
  },
  {
    why: 'the same hash for a rope and for the string it stands for',
    find: ENDS_HASH_STRING_ROPE,
    replace: ENDS_HASH_STRING_ROPE + KEYED_HASH,
    times: 1,
  },
  {
    why: 'a property name is looked up with both hashes, and added with the last',
    find: `        h = hash_string(str, atom_type);
        h &= JS_ATOM_HASH_MASK;
        h1 = h & (rt->atom_hash_size - 1);
        i = rt->atom_hash[h1];
        while (i != 0) {`,
    replace: `        uint64_t hash_key = 0;
        h = hash_string(str, atom_type);
    with_this_hash:
        h &= JS_ATOM_HASH_MASK;
        h1 = h & (rt->atom_hash_size - 1);
        i = rt->atom_hash[h1];
        while (i != 0) {`,
    times: 1,
  },
  {
    why: 'the second lookup of the edit above',
    find: `            i = p->hash_next;
        }
    } else {
        h1 = 0; /* avoid warning */`,
    replace: `            i = p->hash_next;
        }
        if (hash_key != string_hash_key) {
            hash_key = string_hash_key;
            h = keyed_hash_string(JS_MKPTR(JS_TAG_STRING, str), atom_type, hash_key);
            goto with_this_hash;
        }
    } else {
        h1 = 0; /* avoid warning */`,
    times: 1,
  },
  {
    why: 'a Map knows the key that its table was made with',
    find: `    int hash_bits;
    uint32_t hash_size; /* = 2 ^ hash_bits */`,
    replace: `    int hash_bits;
    uint64_t hash_key; /* 0: made in the image and not grown since */
    uint32_t hash_size; /* = 2 ^ hash_bits */`,
    times: 1,
  },
  {
    why: 'a new Map has the key of this start',
    find: '    s->hash_bits = 1;\n',
    replace: '    s->hash_bits = 1;\n    s->hash_key = string_hash_key;\n',
    times: 1,
  },
  {
    why: 'a Map that grows takes the key of this start',
    find: '    s->hash_bits = new_hash_bits;\n',
    replace: '    s->hash_bits = new_hash_bits;\n    s->hash_key = string_hash_key;\n',
    times: 1,
  },
  {
    why: 'the key is an argument of the hash of a Map',
    find: 'static uint32_t map_hash_key(JSValueConst key, int hash_bits)',
    replace: 'static uint32_t map_hash_key(JSValueConst key, int hash_bits, uint64_t hash_key)',
    times: 1,
  },
  {
    why: 'lookups in a Map',
    find: 'map_hash_key(key, s->hash_bits)',
    replace: 'map_hash_key(key, s->hash_bits, s->hash_key)',
    times: 3,
  },
  {
    why: 'removal of a dead key',
    find: 'map_hash_key(mr->key, s->hash_bits)',
    replace: 'map_hash_key(mr->key, s->hash_bits, s->hash_key)',
    times: 1,
  },
  {
    why: 'growth of a Map',
    find: 'map_hash_key(mr->key, new_hash_bits)',
    replace: 'map_hash_key(mr->key, new_hash_bits, string_hash_key)',
    times: 1,
  },
  {
    why: 'strings as keys of a Map',
    find: 'h = map_hash32(hash_string(JS_VALUE_GET_STRING(key), 0) ^ JS_TAG_STRING, hash_bits);',
    replace:
      'h = map_hash32((hash_key ? keyed_hash_string(key, 0, hash_key) : hash_string(JS_VALUE_GET_STRING(key), 0)) ^ JS_TAG_STRING, hash_bits);',
    times: 1,
  },
  {
    why: 'ropes as keys of a Map',
    find: 'h = map_hash32(hash_string_rope(key, 0) ^ JS_TAG_STRING, hash_bits);',
    replace:
      'h = map_hash32((hash_key ? keyed_hash_string(key, 0, hash_key) : hash_string_rope(key, 0)) ^ JS_TAG_STRING, hash_bits);',
    times: 1,
  },
  {
    why: 'deep recursion is the error that it is on Node',
    find: 'return JS_ThrowInternalError(ctx, "stack overflow");',
    replace: 'return JS_ThrowRangeError(ctx, "Maximum call stack size exceeded");',
    times: 1,
  },
  {
    why: 'the error of an interruption ends a job, and rejects no promise: nobody can catch it, the host gets it',
    find: `        if (JS_IsException(func_ret)) {
            JSValue error;
        fail:
            error = JS_GetException(ctx);`,
    replace: `        if (JS_IsException(func_ret)) {
            JSValue error;
        fail:
            if (JS_IsUncatchableError(ctx, ctx->rt->current_exception))
                return;
            error = JS_GetException(ctx);`,
    times: 1,
  },
  {
    why: 'the same, from an async function that was resumed',
    find: `    js_async_function_resume(ctx, s);
    return JS_UNDEFINED;`,
    replace: `    js_async_function_resume(ctx, s);
    return JS_HasException(ctx) ? JS_EXCEPTION : JS_UNDEFINED;`,
    times: 1,
  },
  {
    why: 'the same, from the first part of an async function',
    find: `    async_func_free(ctx->rt, s);

    return promise;`,
    replace: `    async_func_free(ctx->rt, s);
    if (JS_HasException(ctx)) {
        JS_FreeValue(ctx, promise);
        return JS_EXCEPTION;
    }

    return promise;`,
    times: 1,
  },
  {
    why: 'the same, from a function given to then()',
    find: `    is_reject = JS_IsException(res);
    if (is_reject)
        res = JS_GetException(ctx);
    func = argv[is_reject];`,
    replace: `    is_reject = JS_IsException(res);
    if (is_reject && JS_IsUncatchableError(ctx, ctx->rt->current_exception))
        return JS_EXCEPTION;
    if (is_reject)
        res = JS_GetException(ctx);
    func = argv[is_reject];`,
    times: 1,
  },
  {
    why: 'the same, from the then() of a thenable',
    find: `    res = JS_Call(ctx, then, thenable, 2, (JSValueConst *)args);
    if (JS_IsException(res)) {`,
    replace: `    res = JS_Call(ctx, then, thenable, 2, (JSValueConst *)args);
    if (JS_IsException(res) && !JS_IsUncatchableError(ctx, ctx->rt->current_exception)) {`,
    times: 1,
  },
  {
    why: 'the same, from the function given to new Promise()',
    find: `        JSValue ret2, error;
        error = JS_GetException(ctx);
        ret2 = JS_Call(ctx, args[1], JS_UNDEFINED, 1, (JSValueConst *)&error);`,
    replace: `        JSValue ret2, error;
        if (JS_IsUncatchableError(ctx, ctx->rt->current_exception))
            goto fail1;
        error = JS_GetException(ctx);
        ret2 = JS_Call(ctx, args[1], JS_UNDEFINED, 1, (JSValueConst *)&error);`,
    times: 1,
  },
  {
    why: 'JSON.stringify() compares each object with all around it: a deep document must not pass the deadline',
    find: `    prop = JS_UNDEFINED;

    if (js_check_stack_overflow(ctx->rt, 0)) {`,
    replace: `    prop = JS_UNDEFINED;

    if (js_poll_interrupts(ctx))
        goto exception;
    if (js_check_stack_overflow(ctx->rt, 0)) {`,
    times: 1,
  },
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
    why: 'places in the source are kept without names of variables, which only eval() needs',
    find: '    if (!fd->strip_debug || fd->has_eval_call) {\n',
    replace: '    if (fd->has_eval_call) {\n',
    times: 1,
  },
  {
    why: 'the same',
    find: '        if (fd->strip_debug && !fd->has_eval_call) {\n',
    replace: '        if (!fd->has_eval_call) {\n',
    times: 1,
  },
  {
    why: 'the tables of places lie side by side: each is smaller than what a block of its own costs',
    find: '            b->debug.pc2line_buf = js_mallocz(ctx, b->debug.pc2line_len);',
    replace: `            b->pc2line_is_packed = 1;
            b->debug.pc2line_buf = packed_bytes(ctx, b->debug.pc2line_len);`,
    times: 1,
  },
  {
    why: 'the function of the edit above',
    find: 'static JSValue JS_ReadFunctionTag(BCReaderState *s)\n{',
    replace: `/* never freed: bytecode is read once, and stays */
static void *packed_bytes(JSContext *ctx, int size)
{
    static uint8_t *next;
    static int left;
    if (size > left) {
        left = size > 8192 ? size : 8192;
        next = js_mallocz(ctx, left);
        if (!next) {
            left = 0;
            return NULL;
        }
    }
    left -= size;
    next += size;
    return next - size;
}

static JSValue JS_ReadFunctionTag(BCReaderState *s)
{`,
    times: 1,
  },
  {
    why: 'only the tables that the parser made are blocks',
    find: '        js_free_rt(rt, b->debug.pc2line_buf);\n',
    replace: '        if (!b->pc2line_is_packed)\n            js_free_rt(rt, b->debug.pc2line_buf);\n',
    times: 1,
  },
  {
    why: 'the flag of the edit above',
    find: '    /* XXX: 10 bits available */\n    uint8_t *byte_code_buf; /* (self pointer) */',
    replace: '    uint8_t pc2line_is_packed : 1;\n    uint8_t *byte_code_buf; /* (self pointer) */',
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
    why: 'JSON has eight escapes, and four digits behind \\\\u',
    find: 'static __exception int js_parse_string(JSParseState *s, int sep,\n                                       BOOL do_throw, const uint8_t *p,\n                                       JSToken *token, const uint8_t **pp)\n{',
    replace: `static BOOL json_escape_is_valid(const uint8_t *p)
{
    if (*p != 'u')
        return *p != 0 && strchr("\\"\\\\/bfnrt", *p) != NULL;
    for (int i = 1; i <= 4; i++) {
        if (from_hex(p[i]) < 0)
            return FALSE;
    }
    return TRUE;
}

static __exception int js_parse_string(JSParseState *s, int sep,
                                       BOOL do_throw, const uint8_t *p,
                                       JSToken *token, const uint8_t **pp)
{`,
    times: 1,
  },
  {
    why: 'the check of the edit above: without a function it is JSON',
    find: `            c = *p;
            /* XXX: need a specific JSON case to avoid
               accepting invalid escapes */
`,
    replace: `            c = *p;
            if (!s->cur_func && !json_escape_is_valid(p))
                goto invalid_escape;
`,
    times: 1,
  },
  {
    why: 'JSON has digits behind a point and behind e, and no needless zero before',
    find: 'static __exception int json_next_token(JSParseState *s)\n{',
    replace: `static BOOL json_number_is_valid(const uint8_t *p)
{
    if (*p == '-')
        p++;
    if (*p == '0' && is_digit(p[1]))
        return FALSE;
    while (is_digit(*p))
        p++;
    if (*p == '.') {
        if (!is_digit(p[1]))
            return FALSE;
        p++;
        while (is_digit(*p))
            p++;
    }
    if (*p == 'e' || *p == 'E') {
        p++;
        if (*p == '+' || *p == '-')
            p++;
        return is_digit(*p);
    }
    return TRUE;
}

static __exception int json_next_token(JSParseState *s)
{`,
    times: 1,
  },
  {
    why: 'the check of the edit above',
    find: `            if (!s->ext_json) {
                flags = 0;
                radix = 10;`,
    replace: `            if (!s->ext_json) {
                if (!json_number_is_valid(p))
                    goto def_token;
                flags = 0;
                radix = 10;`,
    times: 1,
  },
  {
    why: 'a stack begins with the name and the message, as programs for Node expect',
    find: `static void build_backtrace(JSContext *ctx, JSValueConst error_obj,
                            const char *filename, int line_num, int col_num,
                            int backtrace_flags)
{`,
    replace: `static void stack_header(JSContext *ctx, JSValueConst error_obj, DynBuf *dbuf)
{
    JSValue pending = ctx->rt->current_exception;
    ctx->rt->current_exception = JS_UNINITIALIZED;
    JSAtom atoms[2] = { JS_ATOM_name, JS_ATOM_message };
    for (int i = 0; i < 2; i++) {
        JSValue value = JS_GetProperty(ctx, error_obj, atoms[i]);
        const char *text = JS_IsString(value) ? JS_ToCString(ctx, value) : NULL;
        if (i == 0)
            dbuf_putstr(dbuf, text ? text : "Error");
        else if (text && text[0] != '\\0') {
            dbuf_putstr(dbuf, ": ");
            dbuf_putstr(dbuf, text);
        }
        JS_FreeCString(ctx, text);
        JS_FreeValue(ctx, value);
    }
    dbuf_putc(dbuf, '\\n');
    JS_FreeValue(ctx, ctx->rt->current_exception);
    ctx->rt->current_exception = pending;
}

static void build_backtrace(JSContext *ctx, JSValueConst error_obj,
                            const char *filename, int line_num, int col_num,
                            int backtrace_flags)
{`,
    times: 1,
  },
  {
    why: 'the call of the edit above; errors with a file name are the compiler’s',
    find: `    js_dbuf_init(ctx, &dbuf);
    if (filename) {
        dbuf_printf(&dbuf, "    at %s", filename);`,
    replace: `    js_dbuf_init(ctx, &dbuf);
    if (!filename)
        stack_header(ctx, error_obj, &dbuf);
    if (filename) {
        dbuf_printf(&dbuf, "    at %s", filename);`,
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

const EDITS_OF = { 'quickjs.c': [...EDITS, ...IMAGE_EDITS], 'quickjs.h': IMAGE_EDITS_OF_HEADER } as const

/** The files of the engine that have edits. */
export const EDITED_FILES = ['quickjs.c', 'quickjs.h'] as const

/** A file of the engine with the edits that the host needs. */
export function editEngine(file: (typeof EDITED_FILES)[number], source: string): string {
  return EDITS_OF[file].reduce((text, { why, find, replace, times }) => {
    const parts = text.split(find)
    if (parts.length !== times + 1) {
      throw new Stop(`${file} has ${parts.length - 1} of the ${times} places for an edit (${why}): ${find}`)
    }
    return parts.join(replace)
  }, source)
}

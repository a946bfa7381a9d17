import type { Edit } from './edit.ts'

/** Changes QuickJS so that stack traces contain name, message and source positions, as on Node.js. */
export const PLACE_EDITS: readonly Edit[] = [
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
]

import type { Edit } from './edit.ts'

/** Changes QuickJS so that JavaScript cannot catch the interruption at a plugin's deadline. */
export const DEADLINE_EDITS: readonly Edit[] = [
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
]

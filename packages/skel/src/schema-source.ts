import type * as z from 'zod/v4/core'

/** A zod 4 schema, or a function that makes or loads it when it is needed. */
export type SchemaSource<Value> = z.$ZodType<Value> | (() => z.$ZodType<Value> | Promise<z.$ZodType<Value>>)

import type * as z from 'zod/v4/core'

/** A zod 4 schema, or a function that makes or loads it when it is needed. */
export type SchemaSource<Value> = z.$ZodType<Value> | (() => z.$ZodType<Value> | Promise<z.$ZodType<Value>>)

/** What checks a configuration, or a function that makes or loads it when there is one to check. */
export type ConfigSource<Conf> = ConfigCheck<Conf> | (() => ConfigCheck<Conf> | Promise<ConfigCheck<Conf>>)

/** A zod 4 schema, or one that is needed only for what a cheap look does not vouch for. */
export type ConfigCheck<Conf> = z.$ZodType<Conf> | PlainFirst<Conf>

/** What a cheap look accepts, the schema would give back as it is. */
export interface PlainFirst<Conf> {
  /** Whether the schema would accept a configuration, change nothing in it and know all of its members; `false` says nothing. */
  plain(document: unknown): document is Conf
  /** The schema for what `plain` does not accept. */
  readonly schema: SchemaSource<Conf>
}

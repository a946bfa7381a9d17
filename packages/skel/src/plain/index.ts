/**
 * Cheap looks at documents that are as they should be, nearly all of them: what these vouch for needs no schema, and zod is
 * then not even loaded, which takes 3 ms of a call in an executable. What they refuse goes to the schema, which says what is
 * wrong; it stays the one truth, and a test should hold them against each other.
 *
 * @example
 * ```ts
 * // conf.ts exports confSchema = netConf({ port: z.int().check(z.positive()) })
 * export const plugin = definePlugin({
 *   name: 'redirect',
 *   config: { plain: plainConf({ port: integerIn(1) }), schema: async () => (await import('./conf.ts')).confSchema },
 *   add: () => ({}),
 * })
 * ```
 *
 * @module
 */

export {
  eitherOf,
  exactObjectOf,
  type Guard,
  type Guarded,
  integerIn,
  isAnything,
  isFlag,
  isNumber,
  isText,
  listOf,
  membersOf,
  nullish,
  objectOf,
  oneOf,
  optional,
} from './guards.ts'
export { type PlainConf, plainConf } from './plain-conf.ts'

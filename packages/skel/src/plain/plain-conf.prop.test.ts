import { checkConfig, netConf } from '@cni/skel/schema'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import {
  eitherOf,
  exactObjectOf,
  integerIn,
  isAnything,
  isFlag,
  isNumber,
  isText,
  listOf,
  membersOf,
  nullish,
  oneOf,
  optional,
} from './guards.ts'
import { plainConf } from './plain-conf.ts'

const schema = netConf({
  text: z.optional(z.string()),
  flag: z.nullish(z.boolean()),
  number: z.optional(z.number()),
  port: z.optional(z.int().check(z.minimum(1), z.maximum(65_535))),
  exact: z.optional(z.int()),
  mode: z.optional(z.enum(['a', 'b'])),
  list: z.optional(z.array(z.union([z.string(), z.number()]))),
  members: z.optional(z.record(z.string(), z.boolean())),
  object: z.optional(z.looseObject({ name: z.string(), any: z.optional(z.unknown()) })),
})
const isPlain = plainConf({
  text: optional(isText),
  flag: nullish(isFlag),
  number: optional(isNumber),
  port: optional(integerIn(1, 65_535)),
  exact: optional(integerIn()),
  mode: optional(oneOf('a', 'b')),
  list: optional(listOf(eitherOf(isText, isNumber))),
  members: optional(membersOf(isFlag)),
  object: optional(exactObjectOf({ name: isText, any: isAnything })),
})

/** Of any kind, and near what a member may be. */
const value = fc.oneof(
  fc.constantFrom('a', '', 0, 1, -1, 1.5, 65_535, 65_536, 2 ** 53, true, null, [], {}, ['a', 1], [null], { a: true }),
  fc.constantFrom({ name: 'x' }, { name: 1 }, { name: 'x', any: null, more: 1 }, JSON.parse('{"__proto__":true}')),
  fc.jsonValue(),
)
const own = ['text', 'flag', 'number', 'port', 'exact', 'mode', 'list', 'members', 'object']
const standard = ['cniVersion', 'type', 'capabilities', 'runtimeConfig', 'args', 'ipMasq', 'ipam', 'dns', 'prevResult']
const document = fc
  .dictionary(fc.constantFrom(...own, ...standard, 'other', 'cni.dev/x', '__proto__'), value, { maxKeys: 5 })
  .map((members) => ({ ...members, name: 'pods' }))

test('what is vouched for is what the schema accepts, changes nothing in, and says nothing of', async () => {
  let vouched = 0
  await fc.assert(
    fc.asyncProperty(document, async (conf) => {
      if (!isPlain(conf)) return
      vouched++
      const said: string[] = []
      const log = { debug: (line: string) => void said.push(line), warn: (line: string) => void said.push(line) }
      expect(await checkConfig(schema, conf, log)).toEqual(conf)
      expect(said).toEqual([])
    }),
    { numRuns: 5000 },
  )
  expect(vouched).toBeGreaterThan(300)
})

test.each([
  [{ name: 'pods' }, true],
  [{ name: 'pods', text: 'a', flag: null, port: 1, list: ['a', 1], members: { a: true }, object: { name: 'x' } }, true],
  [{ name: 'pods', dns: { nameservers: ['10.0.0.1'], more: 1 }, ipam: { type: 'static' }, prevResult: {} }, true],
  [{ name: 'pods', prot: 1 }, false],
  [{ name: 'pods', port: null }, false],
  [{ name: 5 }, false],
  [{}, false],
  [[], false],
  [null, false],
])('%j: %j', (conf, expected) => {
  expect(isPlain(conf)).toBe(expected)
})

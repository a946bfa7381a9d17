import { definePlugin, netConf } from '@cni/skel'
import { testPlugin } from '@cni/skel/testing'
import { describe, expect, it } from 'vitest'
import * as classic from 'zod'
import * as z from 'zod/mini'

const messageFor = async (schema: z.core.$ZodType, value: unknown): Promise<string | undefined> => {
  const config = netConf({ member: schema })
  const plugin = definePlugin({ name: 'p', config, add: () => ({}) })
  const { error } = await testPlugin(plugin).add({ conf: value === undefined ? {} : { member: value } })
  expect(error?.code ?? 7).toBe(7)
  return error?.msg
}

describe('an invalid member is reported with its name, the expected and the actual value', () => {
  it.each<[string, z.core.$ZodType, unknown]>([
    ['expected a positive integer, got "80;"', z.int().check(z.positive()), '80;'],
    ['expected a positive integer, got -1', z.int().check(z.positive()), -1],
    ['expected a positive integer, got 1.5', z.int().check(z.minimum(1)), 1.5],
    ['expected a non-negative integer, got -1', z.int().check(z.nonnegative()), -1],
    ['expected an integer from 1 to 65535, got 70000', z.int().check(z.gte(1), z.lte(65535)), 70000],
    ['expected an integer from 1 to 9, got 10', z.int().check(z.gt(0), z.lt(10)), 10],
    ['expected an integer of at least 5, got 4', z.int().check(z.gt(4)), 4],
    ['expected an integer of at most 5, got 6', z.int().check(z.lte(5)), 6],
    ['expected an integer, got "a"', z.optional(z.int()), 'a'],
    ['expected a number, got "a"', z.nullable(z.number()), 'a'],
    ['expected a number above 2, got 2', z.number().check(z.gt(2)), 2],
    ['expected a number below 2, got 2', z.number().check(z.lt(2)), 2],
    ['expected a positive number, got 0', z.number().check(z.positive()), 0],
    ['expected true or false, got "yes"', z.boolean(), 'yes'],
    ['expected a string, got {"a":1}', z.string(), { a: 1 }],
    ['expected a non-empty string, got ""', z.string().check(z.minLength(1)), ''],
    ['expected a string of 3 characters, got "ab"', z.string().check(z.length(3)), 'ab'],
    ['expected a string of at least 2 characters, got "a"', z.string().check(z.minLength(2)), 'a'],
    ['expected a string that matches /^a+$/, got "b"', z.string().check(z.regex(/^a+$/)), 'b'],
    ['expected an IPv4 address, got "1.2.3"', z.ipv4(), '1.2.3'],
    ['expected an IPv4 address or an IPv6 address, got "x"', z.union([z.ipv4(), z.ipv6()]), 'x'],
    ['expected one of "a", "b", got "c"', z._default(z.enum(['a', 'b']), 'a'), 'c'],
    ['expected "x", got "y"', z.literal('x'), 'y'],
    ['expected a list, each an integer, got "x"', z.array(z.int()), 'x'],
    ['expected a list of 1 to 2 elements, got []', z.array(z.unknown()).check(z.minLength(1), z.maxLength(2)), []],
    ['expected an object, got []', z.record(z.string(), z.string()), []],
    ['expected a list of 2, got [1]', z.tuple([z.int(), z.int()]), [1]],
    ['expected a positive integer, got "a"', classic.z.int().positive().optional(), 'a'],
    ['missing, expected an integer', z.int(), undefined],
    ['must be even, got 3', z.int().check(z.refine((value) => Number(value) % 2 === 0, 'must be even')), 3],
    ['expected an integer, got "a"', z.int().check(z.refine(() => true, 'must be even')), 'a'],
    ['not accepted, got 3', z.int().check(z.refine(() => false)), 3],
    ['must be a port, got "a"', z.int('must be a port'), 'a'],
    ['must be reachable, got 3', z.int().check(z.refine(async () => false, 'must be reachable')), 3],
  ])('%s', async (expected, schema, value) => {
    expect(await messageFor(schema, value)).toBe(`member: ${expected}`)
  })

  it.each<[string, z.core.$ZodType, unknown]>([
    ['member.a[1]: expected an integer, got "x"', z.object({ a: z.array(z.int()) }), { a: [1, 'x'] }],
    ['member["io.x/y"]: expected true or false, got 1', z.record(z.string(), z.boolean()), { 'io.x/y': 1 }],
    ['member.b: unknown member; member.c: unknown member', z.strictObject({ a: z.int() }), { a: 1, b: 2, c: 3 }],
    [
      'member.prot: unknown member, did you mean port?',
      z.strictObject({ port: z.optional(z.int()), other: z.optional(z.int()) }),
      { prot: 1 },
    ],
    ['member.ports: unknown member', z.strictObject({ port: z.int() }), { port: 1, ports: 2 }],
    [
      'member.n: expected a value of type number, got "1"',
      z.union([z.object({ kind: z.literal('x'), n: z.int() }), z.object({ kind: z.literal('y'), m: z.int() })]),
      { kind: 'x', n: '1' },
    ],
  ])('%s', async (expected, schema, value) => {
    expect(await messageFor(schema, value)).toBe(expected)
  })

  it('all errors are reported at once, on one line', async () => {
    const plugin = definePlugin({ name: 'p', config: netConf({ a: z.int(), b: z.boolean() }), add: () => ({}) })
    const { error } = await testPlugin(plugin).add({ conf: { a: 'x', b: 'y', dns: { search: 'z' } } })
    expect(error?.msg.split('; ').sort()).toEqual([
      'a: expected an integer, got "x"',
      'b: expected true or false, got "y"',
      'dns.search: expected a list, each a string, got "z"',
    ])
  })

  it('a long value is shortened', async () => {
    const message = await messageFor(z.int(), 'x'.repeat(5000))
    expect(message).toMatch(/^member: expected an integer, got "x{79}… \(5002 characters\)$/)
  })

  it('a value cannot break its line', async () => {
    expect(await messageFor(z.int(), '1\n-j ACCEPT "')).toBe('member: expected an integer, got "1\\n-j ACCEPT \\""')
  })

  it('a value that may be a secret is not repeated, at any depth', async () => {
    const schema = netConf({ apiToken: z.int(), auth: z.object({ password: z.int() }), other: z.int() })
    const plugin = definePlugin({ name: 'p', config: schema, add: () => ({}) })
    const { stdout, stderr } = await testPlugin(plugin).add({
      conf: { apiToken: 'hunter2', auth: { password: 'hunter2' }, other: { clientSecret: 'hunter2' } },
    })
    expect(stdout + stderr).not.toContain('hunter2')
    expect(JSON.parse(stdout).msg).toContain('auth.password: expected an integer, got "<redacted>"')
  })
})

describe('netConf', () => {
  it('knows the standard members, accepts null for them and keeps unknown ones', async () => {
    let conf: unknown
    const plugin = definePlugin({
      name: 'p',
      config: netConf({ port: z.int() }),
      add(c) {
        conf = c.conf
        return {}
      },
    })
    await testPlugin(plugin).add({ conf: { port: 1, capabilities: null, dns: null, other: { a: 1 } } })
    expect(conf).toEqual({ cniVersion: '1.1.0', name: 'test', type: 'p', port: 1, other: { a: 1 } })
    expect((await testPlugin(plugin).add({ conf: { port: 1, capabilities: { x: 'yes' } } })).error?.msg).toBe(
      'capabilities.x: expected true or false, got "yes"',
    )
  })

  it('lets a plugin replace a standard member', async () => {
    const config = netConf({ runtimeConfig: z.object({ mac: z.string() }) })
    const plugin = definePlugin({ name: 'p', config, add: (c) => ({ dns: { domain: c.conf.runtimeConfig.mac } }) })
    const { result } = await testPlugin(plugin).add({ conf: { runtimeConfig: { mac: 'aa' } } })
    expect(result?.dns?.domain).toBe('aa')
  })
})

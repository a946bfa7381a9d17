import { definePlugin, netConf } from '@cni/skel'
import { testPlugin } from '@cni/skel/testing'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { jsonSchema } from '../describe/json-schema.ts'

const shape = {
  port: z._default(z.int(), 1),
  exempt_uid: z.optional(z.int()),
  agent: z.optional(z.looseObject({ socket: z.optional(z.string()) })),
}
const handlers = { add: () => ({}), check() {}, del() {}, gc() {}, status() {} }
const keeping = testPlugin(
  definePlugin({ name: 'p', config: netConf(shape), log: () => ({ level: 'debug' }), ...handlers }),
)
const refusing = testPlugin(definePlugin({ name: 'p', config: netConf(shape, { unknown: 'refuse' }), ...handlers }))
/** All members that the protocol and runtimes may add to a configuration. */
const protocol = {
  cniVersion: '1.1.0',
  name: 'n',
  type: 'p',
  prevResult: { cniVersion: '1.1.0', ips: [] },
  runtimeConfig: { prot: 1 },
  capabilities: { portMappings: true },
  ipam: { type: 'host-local', tpye: 1 },
  ipMasq: true,
  dns: { nameserver: [] },
  args: { cni: { prot: 1 } },
  'cni.dev/valid-attachments': [],
  'cni.dev/anything': 1,
}
const VERBS = ['add', 'check', 'del', 'gc', 'status'] as const

describe('an unknown member', () => {
  it.each<[conf: object, warning: string]>([
    [{ prot: 80 }, 'prot: did you mean port?'],
    [{ Port: 80 }, 'Port: did you mean port?'],
    [{ exemptUid: 5 }, 'exemptUid: did you mean exempt_uid?'],
    [{ agent: { sokcet: '/x' } }, 'agent.sokcet: did you mean socket?'],
    [{ capabilites: {} }, 'capabilites: did you mean capabilities?'],
    [{ 'ex\nempt_uid': 5 }, '["ex\\nempt_uid"]: did you mean exempt_uid?'],
  ])('%j causes a warning, because it is similar to a known member', async (conf, warning) => {
    const { exitCode, log } = await keeping.add({ conf: { ...conf } })
    expect(exitCode).toBe(0)
    expect(log.filter(({ level }) => level === 'warn').map(({ msg }) => msg)).toEqual([warning])
  })

  it.each<Readonly<Record<string, unknown>>>([
    { portMappings: [] },
    { port: 80, ports: [] },
    { po: 1 },
    { agent: { port: 1 } },
    { toString: 1 },
  ])('%j causes no warning, because it may belong to another reader', async (conf) => {
    const { exitCode, log } = await keeping.add({ conf })
    expect([exitCode, log.map(({ level }) => level)]).toEqual([0, ['debug']])
  })

  it('is reported for every verb, and many of them in a short time', async () => {
    for (const verb of VERBS)
      expect((await keeping[verb]({ conf: { prot: 1 } })).stderr).toContain('did you mean port?')
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`port${index}`, index]))
    const { exitCode, log } = await keeping.add({ conf: many })
    expect([exitCode, log.length]).toEqual([0, 1 + 20])
  })

  it.each(VERBS)('is not a member of the protocol, which is accepted silently (%s)', async (verb) => {
    expect((await keeping[verb]({ conf: protocol })).log).toEqual([])
    expect(await refusing[verb]({ conf: protocol })).toMatchObject({ exitCode: 0, log: [] })
  })
})

describe("netConf(shape, { unknown: 'refuse' })", () => {
  it('fails other verbs with code 7 and a suggestion, but not DEL', async () => {
    const conf = { prot: 80, mode: 'fast' }
    for (const verb of ['add', 'check', 'gc', 'status'] as const) {
      expect((await refusing[verb]({ conf })).error).toMatchObject({
        code: 7,
        msg: 'prot: unknown member, did you mean port?; mode: unknown member',
      })
    }
    const { exitCode, log } = await refusing.del({ conf })
    expect([exitCode, log[0]?.level, log[0]?.reason]).toEqual([
      0,
      'warn',
      expect.stringContaining('did you mean port?'),
    ])
  })

  it('reports the first of very many members', async () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`m${index}`, index]))
    const { error } = await refusing.add({ conf: many })
    expect(error?.msg).toMatch(/^m0: unknown member; .*m19: unknown member; configuration: 19980 more unknown members$/)
  })

  it('sets additionalProperties in the JSON Schema', async () => {
    const schema = (unknown: 'keep' | 'refuse') =>
      jsonSchema(definePlugin({ name: 'p', config: netConf(shape, { unknown }), ...handlers }))
    expect((await schema('refuse')).additionalProperties).toBe(false)
    expect((await schema('keep')).additionalProperties).not.toBe(false)
  })

  it('has two valid values', () => {
    const options = JSON.parse('{"unknown":"ignore"}')
    expect(() => netConf({}, options)).toThrow('netConf: unknown: expected keep or refuse, got "ignore"')
  })
})

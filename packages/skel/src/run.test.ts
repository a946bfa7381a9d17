import { definePlugin, type Plugin } from '@cni/skel'
import { testPlugin } from '@cni/skel/testing'
import { CniError } from '@cni/types'
import { describe, expect, it } from 'vitest'

const VERBS = ['ADD', 'CHECK', 'DEL', 'GC', 'STATUS']
const add = () => ({})

describe('the outcome of a handler', () => {
  it('the result of ADD is printed in the version of the configuration', async () => {
    const plugin = definePlugin({ name: 'p', add: () => ({ ips: [{ address: '10.0.0.1/24' }] }) })
    const tester = testPlugin(plugin)
    expect((await tester.add()).stdout).toBe(
      '{\n    "cniVersion": "1.1.0",\n    "ips": [\n        {\n            "address": "10.0.0.1/24"\n        }\n    ]\n}',
    )
    expect(JSON.parse((await tester.add({ conf: { cniVersion: '0.4.0' } })).stdout)).toMatchObject({
      cniVersion: '0.4.0',
      ips: [{ version: '4' }],
    })
  })

  it('CHECK, DEL, GC and STATUS print nothing', async () => {
    const plugin = definePlugin({ name: 'p', add, check() {}, del() {}, gc() {}, status() {} })
    for (const verb of VERBS.slice(1)) {
      expect(await testPlugin(plugin).run(verb)).toEqual({ exitCode: 0, stdout: '', stderr: '', log: [] })
    }
  })

  it('a verb without a handler succeeds, with any configuration and namespace', async () => {
    const { add: _, ...rest } = definePlugin({ name: 'p', add })
    for (const verb of VERBS) {
      // A plugin in JavaScript may look like this.
      const outcome = await testPlugin(rest as Plugin).run(verb, { netns: 'missing' })
      expect(outcome).toMatchObject({ exitCode: 0, stdout: '' })
    }
  })

  it.each([
    ['a plain error', new Error('potato'), { code: 999, msg: 'potato' }],
    ['a string', 'potato', { code: 999, msg: 'potato' }],
    [
      'an error with a code',
      new CniError(1234, 'insufficient something'),
      { code: 1234, msg: 'insufficient something' },
    ],
    [
      'a wrapped error with a code, without the outer message',
      new Error('outer: inner msg', { cause: new CniError(11, 'inner msg', { details: 'd' }) }),
      { code: 11, msg: 'inner msg', details: 'd' },
    ],
    [
      'several errors, one with a code',
      new AggregateError([new Error('a'), new CniError(50, 'b')], 'both'),
      { code: 50, msg: 'b' },
    ],
    ['code 0 without a message', new CniError(0, ''), { code: 0, msg: '' }],
    [
      'an error of another package that carries a code',
      Object.assign(new Error('drift'), { [Symbol.for('cni.error')]: { code: 100, details: '- rule' } }),
      { code: 100, msg: 'drift', details: '- rule' },
    ],
  ])('%s leads to exit code 1 and its document', async (_title, thrown, document) => {
    const fail = () => Promise.reject(thrown)
    const plugin = definePlugin({ name: 'p', add: fail, check: fail, del: fail, gc: fail, status: fail })
    for (const verb of VERBS) {
      const { exitCode, error, stdout } = await testPlugin(plugin).run(verb)
      expect({ exitCode, error }).toEqual({ exitCode: 1, error: { cniVersion: '1.1.0', ...document } })
      expect(stdout.startsWith('{\n    "cniVersion": "1.1.0",\n    "code"')).toBe(true)
    }
  })

  it('a crash is logged with its stack', async () => {
    const plugin = definePlugin({ name: 'p', add: () => Promise.reject(new TypeError('x is undefined')) })
    const { log } = await testPlugin(plugin).add()
    expect(log.at(-1)).toMatchObject({
      level: 'error',
      msg: 'x is undefined',
      stack: expect.stringContaining('run.test.ts'),
    })
  })

  it('causes of an error with a code are on stdout if it has no details, and in the log', async () => {
    const full = new Error('ENOSPC: no space left on device')
    const cause = new Error('cannot write /run/x', { cause: full })
    const thrown = (details?: string) => {
      const plugin = definePlugin({
        name: 'p',
        add: () => Promise.reject(new CniError(5, 'no record', { details, cause })),
      })
      return testPlugin(plugin).add()
    }
    const why = `${cause.message}; ${full.message}`
    const { error, log } = await thrown()
    expect(error).toMatchObject({ code: 5, msg: 'no record', details: why })
    expect(log).toEqual([expect.objectContaining({ level: 'error', msg: 'no record', details: why })])
    expect(log[0]).not.toHaveProperty('cause')
    const detailed = await thrown('of pod web-0')
    expect(detailed.error).toMatchObject({ code: 5, msg: 'no record', details: 'of pod web-0' })
    expect(detailed.log).toEqual([expect.objectContaining({ details: 'of pod web-0', cause: why })])
  })

  it('stacks of an error with a code are logged at level debug', async () => {
    const cause = new TypeError('x is undefined')
    const plugin = definePlugin({
      name: 'p',
      log: () => ({ level: 'debug' }),
      add: () => Promise.reject(new CniError(5, 'no record', { cause })),
    })
    const { log } = await testPlugin(plugin).add()
    expect(log.at(-1)).toMatchObject({ level: 'debug', error: expect.stringContaining(`caused by ${cause.stack}`) })
  })

  it('an error with an unreadable cause is reported', async () => {
    const trap = () => {
      throw new Error('trap')
    }
    const thrown = Object.defineProperty(new Error('boom'), 'cause', { get: trap })
    const plugin = definePlugin({ name: 'p', add: () => Promise.reject(thrown) })
    expect(await testPlugin(plugin).add()).toMatchObject({
      exitCode: 1,
      error: { code: 999, msg: 'unreadable error: trap' },
    })
  })

  it.each([undefined, null, 'text', 5, []])('ADD that returns %j fails with code 999', async (value) => {
    const plugin = definePlugin<unknown, boolean>({
      name: 'p',
      add: async () => JSON.parse(JSON.stringify(value ?? null)),
    })
    const { error } = await testPlugin(plugin).add()
    expect(error).toMatchObject({ code: 999, msg: 'p: the ADD handler returned no result' })
  })

  it("an invalid result is reported with the member's name", async () => {
    const plugin = definePlugin({ name: 'p', add: () => ({ ips: [{ address: 'nonsense' }] }) })
    const { error } = await testPlugin(plugin).add()
    expect(error).toMatchObject({ code: 999, msg: expect.stringContaining('ips[0].address') })
  })

  it('an unknown version fails only when the result is printed', async () => {
    // Set after definePlugin, which rejects such a version.
    const plugin = Object.assign(definePlugin({ name: 'p', add }), { versions: ['2.0.0'] })
    const { error } = await testPlugin(plugin).add({ conf: { cniVersion: '2.0.0' } })
    expect(error).toMatchObject({
      cniVersion: '2.0.0',
      code: 999,
      msg: 'no converter for CNI result version 1.1.0 to 2.0.0',
    })
  })

  it('an empty result cannot be encoded before 0.3.0', async () => {
    const { error } = await testPlugin(definePlugin({ name: 'p', add })).add({ conf: { cniVersion: '0.2.0' } })
    expect(error).toMatchObject({ code: 999, msg: 'cannot convert: no valid IP addresses' })
  })

  it('concurrent calls share nothing', async () => {
    const plugin = definePlugin({
      name: 'p',
      async add(c) {
        await new Promise((resolve) => setImmediate(resolve))
        c.log.info(c.containerID)
        return { dns: { domain: c.containerID } }
      },
    })
    const ids = Array.from({ length: 100 }, (_, index) => `c${index}`)
    const outcomes = await Promise.all(ids.map((containerID) => testPlugin(plugin).add({ containerID })))
    expect(outcomes.map(({ result }) => result?.dns?.domain)).toEqual(ids)
    expect(outcomes.map(({ log }) => log.map(({ msg }) => msg))).toEqual(ids.map((id) => [id]))
  })
})

import { definePlugin, type Log, type LogOptions, type Middleware, type Plugin, recover, timeout, use } from '@cni/skel'
import { testPlugin } from '@cni/skel/testing'
import { CniError } from '@cni/types'
import { describe, expect, it } from 'vitest'

const noting = (calls: string[], name: string): Middleware =>
  async function note(c, next) {
    calls.push(`${name} before ${c.verb} ${c.ifName}`)
    const outcome = await next()
    calls.push(`${name} after`)
    return outcome
  }

const failing = (fail: () => never, ...middleware: Middleware[]) =>
  testPlugin(use(definePlugin({ name: 'p', add: fail, check: fail, del: fail, gc: fail, status: fail }), ...middleware))

describe('middleware', () => {
  it('wraps every handler, the first middleware outermost', async () => {
    const calls: string[] = []
    const handler = (verb: string) => () => void calls.push(verb)
    const plugin = definePlugin({
      name: 'p',
      add: () => ({}),
      check: handler('check'),
      del: handler('del'),
      gc: handler('gc'),
      status: handler('status'),
    })
    const tester = testPlugin(use(plugin, noting(calls, 'a'), noting(calls, 'b')))
    for (const verb of ['check', 'del', 'gc', 'status'] as const) {
      expect((await tester[verb]()).exitCode).toBe(0)
      const [ifName, VERB] = [['check', 'del'].includes(verb) ? 'eth0' : 'undefined', verb.toUpperCase()]
      expect(calls.splice(0)).toEqual([
        `a before ${VERB} ${ifName}`,
        `b before ${VERB} ${ifName}`,
        verb,
        'b after',
        'a after',
      ])
    }
  })

  it('passes a result on unchanged, so that it is printed as received', async () => {
    const plugin = definePlugin({ name: 'p', chained: true, add: (c) => c.prevResult })
    const prevResult = { cniVersion: '1.1.0', big: 1, ips: [{ address: '10.0.0.1/24' }] }
    const plain = await testPlugin(plugin).add({ prevResult })
    expect(await testPlugin(use(plugin, recover(), timeout(1000))).add({ prevResult })).toEqual(plain)
  })

  it('adds no handlers, and does not change the plugin', () => {
    const plugin = definePlugin({ name: 'p', add: () => ({}), del() {} })
    expect(Object.keys(use(plugin, recover()))).toEqual(['name', 'add', 'del'])
    expect(plugin.add).not.toBe(use(plugin, recover()).add)
  })

  it('keeps all members of a class instance', async () => {
    class Tag {
      readonly name = 'tag'
      readonly #level = 'debug'
      log(): LogOptions {
        return { level: this.#level }
      }
      add(c: { log: Log }) {
        c.log.debug('added')
        return {}
      }
    }
    const { exitCode, log } = await testPlugin(use(definePlugin(new Tag()), recover())).add()
    expect([exitCode, log.map(({ msg }) => msg)]).toEqual([0, ['added']])
  })

  it('may change log, environment and signal for inner middleware', async () => {
    const seen: unknown[] = []
    const plugin = definePlugin({ name: 'p', add: () => ({}), del: (c) => void seen.push(c.env.WHO) })
    await testPlugin(use(plugin, (_c, next) => next({ env: { WHO: 'me' } }))).del()
    expect(seen).toEqual(['me'])
  })
})

describe('recover', () => {
  const crash = () => {
    throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
  }

  it.each([
    ['add', 11],
    ['check', 999],
    ['del', 999],
    ['gc', 999],
    ['status', 50],
  ] as const)('turns a crash in %s into code %i', async (verb, code) => {
    const { error, exitCode, log } = await failing(crash, recover())[verb]()
    expect([exitCode, error?.code, error?.msg]).toEqual([1, code, 'fetch failed'])
    if (code !== 999) {
      expect(error?.details).toBe('TypeError: connect ECONNREFUSED')
      expect(log[0]).toMatchObject({ level: 'error', error: expect.stringContaining('caused by Error: connect') })
    }
  })

  it('uses the given codes, and keeps an error that has a code', async () => {
    expect((await failing(crash, recover({ CHECK: 100 })).check()).error?.code).toBe(100)
    expect((await failing(crash, recover({ CHECK: 100 })).add()).error?.code).toBe(999)
    const own = () => {
      throw new Error('wrapped', { cause: new CniError(123, 'own') })
    }
    expect((await failing(own, recover()).add()).error).toMatchObject({ code: 123, msg: 'own' })
  })
})

describe('options of middleware', () => {
  // Passes a value as a JavaScript caller does.
  const made = (make: (given: never) => Middleware, given: unknown) => () => make(given as never)

  it.each([
    [0, 'timeout: expected milliseconds from 1 to 2147483647, got 0'],
    [3e9, 'timeout: expected milliseconds from 1 to 2147483647, got 3000000000'],
    ['20', 'timeout: expected milliseconds from 1 to 2147483647, got "20"'],
    [{ ADD: Number.NaN }, 'timeout: ADD: expected milliseconds from 1 to 2147483647, got NaN'],
    [{ Add: 20 }, 'timeout: Add: expected one of ADD, CHECK, DEL, GC, STATUS'],
    [{ VERSION: 20 }, 'timeout: VERSION: expected one of ADD, CHECK, DEL, GC, STATUS'],
  ])('an invalid timeout is rejected: timeout(%j)', (budget, message) => {
    expect(made(timeout, budget)).toThrow(new TypeError(message))
  })

  it.each([
    [{ add: 11 }, 'recover: add: expected one of ADD, CHECK, DEL, GC, STATUS'],
    [{ ADD: -1 }, 'recover: ADD: expected an error code, got -1'],
    [{ ADD: '11' }, 'recover: ADD: expected an error code, got "11"'],
  ])('invalid codes are rejected: recover(%j)', (codes, message) => {
    expect(made(recover, codes)).toThrow(new TypeError(message))
  })
})

describe('timeout', () => {
  const slow = (undone: string[]): Plugin =>
    definePlugin({
      name: 'p',
      async add(c) {
        c.undo(() => void undone.push('undone'))
        await new Promise((_, reject) => c.signal.addEventListener('abort', () => reject(new Error('my own'))))
        return {}
      },
      status: () => {},
    })

  it('ends a verb at its own deadline with code 11, and undoes it', async () => {
    const undone: string[] = []
    const { error } = await testPlugin(use(slow(undone), timeout({ ADD: 20 }))).add()
    expect(error).toMatchObject({ code: 11, msg: 'ADD did not finish within 20 ms' })
    expect(undone).toEqual(['undone'])
  })

  it('does not change other verbs and the plugin’s own deadline', async () => {
    expect(await testPlugin(use(slow([]), timeout({ ADD: 20 }))).status()).toMatchObject({ exitCode: 0 })
    const { error } = await testPlugin({ ...use(slow([]), timeout(5000)), timeout: 20 }).add()
    expect(error).toMatchObject({ code: 11, msg: 'ADD did not finish within 20 ms' })
  })

  it('follows the signal of the call', async () => {
    const signal = AbortSignal.abort(new CniError(11, 'received SIGTERM'))
    expect((await testPlugin(use(slow([]), timeout(5000))).add({ signal })).error?.msg).toBe('received SIGTERM')
  })
})

import type { Netns } from '@cni/netns/handle'
import { CniError } from '@cni/types'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { call } from '../../test/recorder.ts'
import { acceptAdd } from '../ahead/index.ts'
import type { AddAheadContext } from '../context.ts'
import { type Middleware, use } from '../middleware/index.ts'
import { type AheadResult, definePlugin } from '../plugin.ts'
import { netConf } from '../schema/net-conf.ts'

const CONF = '{"cniVersion":"1.1.0","name":"a","port":1,"prevResult":{"cniVersion":"1.1.0","big":12345678901234567890}}'
const INVALID = CONF.replace('"port":1', '"port":"x"')

/** A plugin that says what was done, in order. */
function plugin(addAhead: (c: AddAheadContext) => AheadResult | Promise<AheadResult>, chained = false) {
  const done: string[] = []
  const defined = definePlugin<{ port: number }, boolean>({
    name: 'p',
    chained,
    timeout: 200,
    config: () => {
      done.push('schema')
      return netConf({ port: z.int() })
    },
    log: () => {
      done.push('log')
      return { level: 'debug' }
    },
    addAhead(c) {
      done.push('ahead')
      return addAhead(c)
    },
    add(c) {
      done.push('add')
      return c.prevResult ?? {}
    },
  })
  return { done, plugin: defined }
}

const linesIn = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

describe('an ADD ahead of its checks', () => {
  it('does without the schema and the log of the definition, and prints what it is given', async () => {
    const { plugin: ahead, done } = plugin((c) => {
      c.stderr('said\n')
      return acceptAdd({ env: c.env, stdin: c.raw }).passedOn()
    })
    const { exitCode, stdout, stderr } = await call(ahead, {}, INVALID)
    expect({ exitCode, done, stderr }).toEqual({ exitCode: 0, done: ['ahead'], stderr: 'said\n' })
    expect(stdout).toContain('12345678901234567890')
  })

  it('knows the call as it came, and opens the namespace when it is asked to', async () => {
    const seen: unknown[] = []
    const { plugin: ahead } = plugin((c) => {
      const { path } = c.openNetns()
      seen.push(c.document.port, c.env.CNI_IFNAME, Buffer.from(c.raw).toString(), path)
      return '{}'
    })
    await call(ahead, {}, INVALID)
    expect(seen).toEqual(['x', 'eth0', INVALID, '/some/netns/path'])
  })

  it('goes on as without it where it has no result, with what it has noted', async () => {
    const { plugin: ahead, done } = plugin((c) => {
      c.note('debug', 'not now', { reason: 'busy' })
      return undefined
    })
    const { exitCode, stderr } = await call(ahead, {}, CONF)
    expect({ exitCode, done }).toEqual({ exitCode: 0, done: ['ahead', 'schema', 'log', 'add'] })
    expect(linesIn(stderr)).toMatchObject([{ level: 'debug', msg: 'not now', reason: 'busy' }])
  })

  it.each([
    ['no JSON', '{', 6],
    ['no object', '[]', 6],
  ])('is not tried for %s, which is told as ever', async (_, conf, code) => {
    const { plugin: ahead, done } = plugin(() => '{}')
    const { error } = await call(ahead, {}, conf)
    expect(error).toMatchObject({ code })
    expect(done).toEqual([])
  })

  it('is not tried for a chained plugin without a result before', async () => {
    const { plugin: ahead, done } = plugin(() => '{}', true)
    const { error } = await call(ahead, {}, '{"cniVersion":"1.1.0","name":"a","port":1}')
    expect(error).toMatchObject({ code: 7 })
    expect(done).not.toContain('ahead')
  })

  it('is not tried where stdin cannot be read, and the call says why', async () => {
    const { plugin: ahead, done } = plugin(() => '{}')
    const { error } = await call(ahead, {}, () => {
      throw new Error('closed')
    })
    expect(error).toMatchObject({ code: 5, msg: 'error reading from stdin: closed' })
    expect(done).toEqual([])
  })

  it.each([
    ['that is gone', '/gone'],
    ["that is the plugin's own", '/own'],
  ])('gets no namespace %s, and the call that goes on fails with the code for it', async (_, path) => {
    let opened = false
    const { plugin: ahead } = plugin((c) => {
      try {
        c.openNetns()
        opened = true
      } catch {
        // What goes on has the words for it.
      }
      return undefined
    })
    expect((await call(ahead, { CNI_NETNS: path }, CONF)).error).toMatchObject({ code: 8 })
    expect(opened).toBe(false)
  })

  it('fails the call with what it throws, in its version, and what it did is undone', async () => {
    const undone: string[] = []
    const lines: string[] = []
    const { plugin: ahead, done } = plugin((c) => {
      c.undo(() => undone.push('undone'))
      c.note('info', 'before')
      c.openLog({ level: 'debug', sinks: [{ write: (line) => lines.push(line) }] })
      throw new CniError(7, 'no')
    })
    const { error } = await call(ahead, {}, CONF.replaceAll('1.1.0', '1.0.0'))
    expect(error).toMatchObject({ cniVersion: '1.0.0', code: 7, msg: 'no' })
    expect({ done, undone }).toEqual({ done: ['ahead'], undone: ['undone'] })
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['before', 'no'])
  })

  it('has its namespace for its steps back, and none is open behind the call', async () => {
    const undone: boolean[] = []
    const opened: Netns[] = []
    const { plugin: ahead } = plugin((c) => {
      const netns = c.openNetns()
      opened.push(netns)
      c.undo(() => undone.push(netns.fd >= 0))
      if (undone.length === 0) throw new Error('no')
      return '{}'
    })
    await call(ahead, {}, CONF)
    expect(undone).toEqual([true])
    expect((await call(ahead, {}, CONF)).exitCode).toBe(0)
    expect(undone).toEqual([true])
    for (const netns of opened) expect(() => netns.fd).toThrow()
  })

  it('is given up at the deadline of the call, and what it did is undone when it has come to rest', async () => {
    const undone: unknown[] = []
    const { plugin: ahead } = plugin((c) => {
      const rest = new Promise<undefined>((resolve) => c.signal.addEventListener('abort', () => resolve(undefined)))
      c.undo(() => undone.push(c.signal.aborted))
      return rest
    })
    const { error } = await call(ahead, {}, CONF)
    expect(error).toMatchObject({ code: 11, msg: 'ADD did not finish within 200 ms' })
    expect(undone).toEqual([true])
  })

  it('is left out by middleware, which sees every ADD', async () => {
    const seen: string[] = []
    const watching: Middleware = async (c, next) => {
      seen.push(c.verb)
      return next()
    }
    const { plugin: ahead, done } = plugin(() => '{}')
    expect((await call(use(ahead, watching), {}, CONF)).exitCode).toBe(0)
    expect({ seen, done }).toEqual({ seen: ['ADD'], done: ['schema', 'log', 'add'] })
  })
})

import { CniError } from '@cni/types'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { call } from '../../test/recorder.ts'
import type { AddAheadContext } from '../context.ts'
import { definePlugin } from '../plugin.ts'
import { netConf } from '../schema/net-conf.ts'

const CONF = '{"cniVersion":"1.1.0","name":"a","port":1,"prevResult":{"cniVersion":"1.1.0","big":12345678901234567890}}'
const INVALID = CONF.replace('"port":1', '"port":"x"')

/** A plugin that says what was done, in order. */
function plugin(
  addAhead: (c: AddAheadContext) => ReturnType<NonNullable<Parameters<typeof definePlugin>[0]['addAhead']>>,
) {
  const done: string[] = []
  const defined = definePlugin({
    name: 'p',
    config: () => {
      done.push('schema')
      return netConf({ port: z.int() })
    },
    log: () => {
      done.push('log')
      return {}
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

describe('an ADD ahead of its configuration', () => {
  it('does without the schema and the log of the definition, and passes the result on as it came', async () => {
    const { plugin: ahead, done } = plugin(() => 'pass-on')
    const { exitCode, stdout } = await call(ahead, {}, INVALID)
    expect({ exitCode, done }).toEqual({ exitCode: 0, done: ['ahead'] })
    expect(stdout).toContain('12345678901234567890')
  })

  it.each([
    ['without a result before, an empty one', {}, '1.1.0', { cniVersion: '1.1.0' }],
    [
      'one of another version in that of the call',
      { cniVersion: '0.4.0', ips: [{ version: '4', address: '10.0.0.2/24' }] },
      '1.0.0',
      { cniVersion: '1.0.0', ips: [{ address: '10.0.0.2/24' }] },
    ],
  ])('passes on %s', async (_, before, cniVersion, printed) => {
    const { plugin: ahead } = plugin(() => 'pass-on')
    const prevResult = Object.keys(before).length === 0 ? undefined : before
    const { stdout } = await call(ahead, {}, JSON.stringify({ cniVersion, name: 'a', prevResult }))
    expect(JSON.parse(stdout)).toEqual(printed)
  })

  it('prints a result of its own in the version of the call', async () => {
    const { plugin: ahead } = plugin(() => ({ ips: [{ address: '10.0.0.2/24' }] }))
    const { stdout } = await call(ahead, {}, CONF)
    expect(JSON.parse(stdout)).toMatchObject({ cniVersion: '1.1.0', ips: [{ address: '10.0.0.2/24' }] })
  })

  it('knows the call, the namespace and the configuration as it came', async () => {
    const seen: unknown[] = []
    const { plugin: ahead } = plugin(({ document, containerID, ifName, netns, networkName }) => {
      seen.push(document.port, containerID.length > 0, ifName, netns.path.length > 0, networkName)
      return {}
    })
    await call(ahead, {}, INVALID)
    expect(seen).toEqual(['x', true, 'eth0', true, 'a'])
  })

  it('goes on as without it where it has no result', async () => {
    const { plugin: ahead, done } = plugin(() => undefined)
    const { exitCode } = await call(ahead, {}, CONF)
    expect({ exitCode, done }).toEqual({ exitCode: 0, done: ['ahead', 'schema', 'log', 'add'] })
  })

  it.each([
    ['an invalid configuration', { CNI_NETNS: '/gone' }, INVALID, 7],
    ['a namespace that is gone', { CNI_NETNS: '/gone' }, CONF, 8],
    ["the plugin's own namespace", { CNI_NETNS: '/own' }, CONF, 8],
  ])('is not tried where the call cannot be: %s is told as ever', async (_, env, conf, code) => {
    const { plugin: ahead, done } = plugin(() => ({}))
    const { error } = await call(ahead, env, conf)
    expect(error).toMatchObject({ code })
    expect(done).not.toContain('ahead')
  })

  it('fails the call with what it throws, and what it did is undone', async () => {
    const undone: string[] = []
    const { plugin: ahead, done } = plugin((c) => {
      c.undo(() => undone.push('undone'))
      throw new CniError(7, 'no')
    })
    const { error } = await call(ahead, {}, CONF)
    expect(error).toMatchObject({ code: 7, msg: 'no' })
    expect({ done, undone }).toEqual({ done: ['ahead'], undone: ['undone'] })
  })

  it('sets up its log by itself', async () => {
    const lines: string[] = []
    const { plugin: ahead } = plugin((c) => {
      c.log.info('before')
      c.openLog({ level: 'debug', sinks: [{ write: (line) => lines.push(line) }] })
      c.log.debug('after')
      return {}
    })
    await call(ahead, {}, CONF)
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['before', 'after'])
  })
})

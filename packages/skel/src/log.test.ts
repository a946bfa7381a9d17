import { definePlugin, type LogOptions, netConf } from '@cni/skel'
import { testPlugin } from '@cni/skel/testing'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'

const logging = (write: (log: import('@cni/skel').Log) => void, log?: () => LogOptions) =>
  testPlugin(
    definePlugin({
      name: 'p',
      ...(log === undefined ? {} : { log }),
      add(c) {
        write(c.log)
        return {}
      },
    }),
  )

describe('the log', () => {
  it('is lines of JSON on stderr: level, time and message first, then plugin, call and fields', async () => {
    const { stderr } = await logging((log) => log.info('hello', { port: 1 })).add({ containerID: 'c1' })
    const entry = JSON.parse(stderr)
    expect(Object.keys(entry)).toEqual(['level', 'time', 'msg', 'plugin', 'command', 'containerID', 'port'])
    expect(entry).toMatchObject({
      level: 'info',
      msg: 'hello',
      plugin: 'p',
      command: 'ADD',
      containerID: 'c1',
      port: 1,
    })
    expect(entry.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    expect(Math.abs(Date.parse(entry.time) - Date.now())).toBeLessThan(60_000)
  })

  it('omits debug lines unless the plugin asks for them', async () => {
    const write = (log: import('@cni/skel').Log) => {
      log.debug('d')
      log.warn('w')
    }
    expect((await logging(write).add()).log.map(({ msg }) => msg)).toEqual(['w'])
    const debug = logging(write, () => ({ level: 'debug' }))
    expect((await debug.add()).log.map(({ msg }) => msg)).toEqual(['d', 'w'])
  })

  it('warns about an unknown level and uses info', async () => {
    // A configuration without a schema may have such a value.
    const level = 'warning' as LogOptions['level'] & string
    const { exitCode, log } = await logging(
      (l) => {
        l.debug('d')
        l.info('i')
      },
      () => ({ level }),
    ).add()
    expect([exitCode, log.map(({ msg, level: at }) => `${at} ${msg}`)]).toEqual([
      0,
      ['warn the log level "warning" is not one of silent, error, warn, info, debug: using info', 'info i'],
    ])
  })

  it('has times with microseconds, in order', async () => {
    const { log } = await logging((l) => {
      for (let line = 0; line < 50; line++) l.info('x')
    }).add()
    const times = log.map(({ time }) => String(time))
    expect(times).toEqual(times.toSorted())
    expect(times.some((time) => !time.endsWith('000Z'))).toBe(true)
  })

  it('is empty at level silent, and the error on stdout stays', async () => {
    const fail = (log: import('@cni/skel').Log) => {
      log.error('e')
      throw new Error('boom')
    }
    const silent = await logging(fail, () => ({ level: 'silent' })).add()
    expect(silent).toMatchObject({ exitCode: 1, stderr: '', error: { code: 999, msg: 'boom' } })
    expect((await logging(fail, () => ({ level: 'error' })).add()).log.map(({ msg }) => msg)).toEqual(['e', 'boom'])
  })

  it('has bound fields on every later line, also on the failure of the call', async () => {
    const { log } = await logging((l) => {
      l.info('before')
      l.bind({ pod: 'default/web-0' })
      l.info('after', { pod: 'other' })
      throw new Error('boom')
    }).add()
    expect(log.map(({ msg, pod }) => [msg, pod])).toEqual([
      ['before', undefined],
      ['after', 'other'],
      ['boom', 'default/web-0'],
    ])
  })

  it('keeps every entry on one line', async () => {
    const nasty = 'a\nb\r\u2028c\u0085d\u001b[31m\u007f\u009b31m\u200f\u061c\u202ee\u2066f'
    const { stderr, log } = await logging((l) => l.info(nasty, { nasty, level: 'fake', msg: 'fake' })).add()
    expect(stderr.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    expect(stderr.split('\n')).toHaveLength(2)
    expect(log).toMatchObject([{ level: 'info', msg: nasty, nasty }])
  })

  it('accepts any value: errors, big integers, maps, cycles', async () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    const { log } = await logging((l) => {
      l.info('x', {
        error: new Error('boom', { cause: new Error('spark') }),
        big: 2n ** 70n,
        map: new Map([['a', 1]]),
        set: new Set([1]),
      })
      l.info('y', { cycle })
      l.info('z', { error: new AggregateError([new Error('first'), 'second'], 'both', { cause: new Error('spark') }) })
    }).add()
    expect(log).toMatchObject([
      {
        error: expect.stringMatching(/^Error: boom[\s\S]*caused by Error: spark/),
        big: '1180591620717411303424',
        map: { a: 1 },
        set: [1],
      },
      { msg: 'y' },
      {
        error: expect.stringMatching(
          /^AggregateError: both[\s\S]*caused by Error: first[\s\S]*caused by second\ncaused by Error: spark/,
        ),
      },
    ])
  })

  it("goes to the plugin's sinks too, with the lines from before", async () => {
    const lines: string[] = []
    let flushed = false
    const plugin = definePlugin({
      name: 'p',
      config: netConf({ verbose: z.boolean() }),
      log: ({ conf, command }) => ({
        level: conf?.verbose ? 'debug' : 'info',
        sinks: [
          {
            write: (line) => void lines.push(`${command} ${line}`),
            async flush() {
              flushed = true
            },
          },
        ],
      }),
      add: () => ({}),
    })
    const { stderr } = await testPlugin(plugin).add({ conf: { verbose: true, unknown_key: 1 } })
    expect(lines.join('')).toBe(`ADD ${stderr}`)
    expect(stderr).toContain('"members":["unknown_key"]')
    expect(flushed).toBe(true)
  })

  it('never fails a call: a sink or hook that throws is skipped', async () => {
    const broken = () => {
      throw new Error('disk full')
    }
    const sink = logging(
      (log) => {
        log.info('a')
        log.info('b')
      },
      () => ({ sinks: [{ write: broken, flush: broken }] }),
    )
    const { exitCode, log } = await sink.add()
    expect(exitCode).toBe(0)
    expect(log.map(({ msg }) => msg)).toEqual(['a', 'a log sink failed and is left out', 'b'])
    const hook = await logging((l) => l.info('a'), broken).add()
    expect(hook.exitCode).toBe(0)
    expect(hook.log.map(({ msg }) => msg)).toEqual(['the plugin could not set up its log', 'a'])
  })

  it('waits for a flush, but not endlessly', async () => {
    const { exitCode } = await logging(
      () => {},
      () => ({ sinks: [{ write() {}, flush: () => new Promise(() => {}) }] }),
    ).add()
    expect(exitCode).toBe(0)
  })
})

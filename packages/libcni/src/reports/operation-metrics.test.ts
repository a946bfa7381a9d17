import { describe, expect, test } from 'vitest'
import { failing, failure, fakeWorlds, first, list, rt } from '../../test/fake-world.ts'
import { cni } from '../cni.ts'
import { operationMetrics } from './operation-metrics.ts'
import type { OperationReport } from './operation-report.ts'

const worlds = fakeWorlds()

/** A runtime with fake plugins whose operations are reported. */
function observed(plugins: Parameters<typeof worlds.setUp>[0], also?: (report: OperationReport) => void) {
  const reports: OperationReport[] = []
  const { exec } = worlds.setUp(plugins)
  const observe = (report: OperationReport) => {
    reports.push(report)
    also?.(report)
  }
  const runtime = cni({ path: ['/x'], cacheDir: worlds.temp.dir, exec, env: {}, stderr: () => undefined, observe })
  return { reports, runtime }
}

describe('the observer of a runtime', () => {
  test('gets each operation once, with its executions in order', async () => {
    const { runtime, reports } = observed({ a: { ADD: first }, b: {} })
    const conflist = list('1.1.0', 'a', 'b')
    await runtime.add(conflist, rt)
    await runtime.check(conflist, rt)
    await runtime.status(conflist)
    await runtime.gc(conflist, { validAttachments: [{ containerID: 'c1', ifname: 'eth0' }] })
    await runtime.del(conflist, rt)
    expect(reports.map(({ verb, network, containerID }) => [verb, network, containerID])).toEqual([
      ['ADD', 'net1', 'c1'],
      ['CHECK', 'net1', 'c1'],
      ['STATUS', 'net1', undefined],
      ['GC', 'net1', undefined],
      ['DEL', 'net1', 'c1'],
    ])
    expect(reports.map(({ plugins }) => plugins.map(({ command, type }) => `${command} ${type}`))).toEqual([
      ['ADD a', 'ADD b'],
      ['CHECK a', 'CHECK b'],
      ['STATUS a', 'STATUS b'],
      ['GC a', 'GC b'],
      ['DEL b', 'DEL a'],
    ])
    for (const { durationMs, waitedMs, error } of reports) {
      expect([durationMs >= waitedMs, waitedMs >= 0, error]).toEqual([true, true, undefined])
    }
  })

  test('gets a failure as the caller does, with the plugin', async () => {
    const { runtime, reports } = observed({ a: { ADD: first }, b: failing(7, 'bad') })
    const error = await failure(runtime.add(list('1.1.0', 'a', 'b'), rt))
    expect(reports).toMatchObject([
      {
        verb: 'ADD',
        error: { code: 7, msg: error.message },
        plugins: [{ type: 'a' }, { error: { reason: 'reported' } }],
      },
    ])
  })

  test('gets the failure of a missing plugin', async () => {
    const { runtime, reports } = observed({})
    await failure(runtime.add(list('1.1.0', 'gone'), rt))
    expect(reports).toMatchObject([{ error: { code: 999 }, plugins: [] }])
  })

  test('gets the waiting time of an operation, also if it never began', async () => {
    let end = (_: unknown): void => undefined
    const adding = new Promise((resolve) => {
      end = resolve
    })
    const { runtime, reports } = observed({ a: { ADD: () => adding } })
    const added = runtime.add(list('1.1.0', 'a'), rt)
    await failure(runtime.del(list('1.1.0', 'a'), rt, { timeout: 20 }))
    const [report] = reports
    expect(report).toMatchObject({ verb: 'DEL', plugins: [], error: { code: 11 } })
    expect(report?.waitedMs).toBe(report?.durationMs)
    end(first)
    await added
  })

  test('does not change the outcome if it throws', async () => {
    const { runtime } = observed({ a: { ADD: first } }, () => {
      throw new Error('no such metric')
    })
    expect((await runtime.add(list('1.1.0', 'a'), rt)).document).toEqual(first)
  })
})

describe('operationMetrics', () => {
  const metrics = operationMetrics({ bucketsMs: [10, 100] })
  const plugin = (durationMs: number, more: object = {}) => ({
    command: 'ADD',
    type: 'bridge',
    path: '/bridge',
    durationMs,
    exitCode: 0,
    ...more,
  })
  const add = { verb: 'ADD', network: 'pods', waitedMs: 0 } as const
  const failed = { error: { code: 11, msg: 'late', reason: 'timeout' as const } }
  metrics.observe({ ...add, durationMs: 10, plugins: [plugin(4), plugin(5)] })
  metrics.observe({ ...add, durationMs: 60, plugins: [plugin(50)] })
  metrics.observe({ ...add, durationMs: 500, plugins: [plugin(400, failed)], error: { code: 11, msg: 'late' } })

  test('counts by verb, network and outcome, with cumulative buckets', () => {
    const labels = { verb: 'ADD', network: 'pods' }
    const buckets = (...counts: number[]) => counts.map((count, index) => ({ leMs: [10, 100][index], count }))
    expect(metrics.read().operations).toEqual([
      { ...labels, outcome: 'done', count: 2, sumMs: 70, maxMs: 60, buckets: buckets(1, 2) },
      { ...labels, outcome: 'failed', count: 1, sumMs: 500, maxMs: 500, buckets: buckets(0, 0) },
    ])
  })

  test('counts executions by plugin and outcome', () => {
    expect(metrics.read().plugins).toMatchObject([
      { verb: 'ADD', plugin: 'bridge', outcome: 'done', count: 3, sumMs: 59, maxMs: 50 },
      { verb: 'ADD', plugin: 'bridge', outcome: 'timeout', count: 1, sumMs: 400 },
    ])
  })

  test('read returns plain data that does not change later', () => {
    const own = operationMetrics()
    own.observe({ ...add, durationMs: 1, plugins: [] })
    const before = own.read()
    const copy = structuredClone(before)
    own.observe({ ...add, durationMs: 2, plugins: [] })
    expect(before).toEqual(copy)
  })

  test.each([[[0]], [[10, 5]], [[10, 10]], [[Number.NaN]], [[-1, 5]]])('the buckets %j are rejected', (bucketsMs) => {
    expect(() => operationMetrics({ bucketsMs })).toThrow(
      `operationMetrics: bucketsMs: expected ascending milliseconds, got ${bucketsMs.join(', ')}`,
    )
  })
})

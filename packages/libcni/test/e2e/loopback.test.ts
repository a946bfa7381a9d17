import { realExec } from '@cni/invoke'
import { netns } from '@cni/netns'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { cni } from '../../src/cni.ts'
import { addLoopback, delLoopback, loopbackList, loopbackOf } from '../../src/loopback.ts'
import { parseNetworkList } from '../../src/network-list.ts'
import { operationMetrics } from '../../src/reports/operation-metrics.ts'
import { bridged } from './conflists.ts'
import { missing, PLUGINS, type World, world } from './node-world.ts'

describe.runIf(missing === undefined)(`a sandbox with real plugins${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let w: World
  beforeEach(async () => {
    w = await world()
  })
  afterEach(() => w[Symbol.asyncDispose]())

  const runtimeOn = ({ node, files }: World, metrics = operationMetrics()) =>
    cni({
      path: [PLUGINS],
      cacheDir: `${files.dir}/cache`,
      exec: realExec({ start: (argv, options) => netns.start(node, argv, options) }),
      timeout: 30_000,
      observe: metrics.observe,
    })
  const isUp = async ({ ip, pod }: World) => JSON.stringify(await ip(pod, 'link', 'show', 'dev', 'lo')).includes('"UP"')

  test('lo is up after ADD, CHECK notices if it is down, DEL sets it down and works without the namespace', async () => {
    const runtime = runtimeOn(w)
    const container = { containerID: 'c1', netns: w.pod.path }
    await netns.exec(w.pod, ['ip', 'link', 'set', 'lo', 'down'])
    const { result } = await addLoopback(runtime, container)
    expect(result.interfaces).toMatchObject([{ name: 'lo', sandbox: w.pod.path }])
    expect(await isUp(w)).toBe(true)
    await runtime.check(loopbackList, loopbackOf(container))
    await netns.exec(w.pod, ['ip', 'link', 'set', 'lo', 'down'])
    await expect(runtime.check(loopbackList, loopbackOf(container))).rejects.toThrow(/down/)
    await delLoopback(runtime, container)
    expect(await isUp(w)).toBe(false)
    await delLoopback(runtime, { containerID: 'c1', netns: '' })
  })

  test('concurrent ADDs of two networks and DELs leave a container unchanged', async () => {
    const metrics = operationMetrics()
    const runtime = runtimeOn(w, metrics)
    const container = { containerID: 'c1', netns: w.pod.path }
    const eth0 = { ...container, ifName: 'eth0' }
    const list = parseNetworkList(JSON.stringify(bridged(`${w.files.dir}/leases`)))
    await Promise.all([
      addLoopback(runtime, container),
      runtime.add(list, eth0),
      runtime.del(list, eth0),
      runtime.add(list, eth0),
      runtime.del(list, eth0),
      delLoopback(runtime, container),
    ])
    expect(runtime.attachments()).toEqual([])
    expect(await w.ip(w.pod, 'link', 'show')).toMatchObject([{ ifname: 'lo' }])
    const counted = metrics
      .read()
      .operations.map(({ verb, network, outcome, count }) => [verb, network, outcome, count])
    expect(counted).toEqual([
      ['ADD', 'cni-loopback', 'done', 1],
      ['ADD', 'bridged', 'done', 2],
      ['DEL', 'bridged', 'done', 2],
      ['DEL', 'cni-loopback', 'done', 1],
    ])
  })
})

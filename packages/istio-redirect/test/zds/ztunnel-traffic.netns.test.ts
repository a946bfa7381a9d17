import { join } from 'node:path'
import { type Netns, netns } from '@cni/netns'
import { expect, test } from 'vitest'
import { everything } from '../../../istio-rules/test/goldens/ambient/cases.ts'
import { enrolNamespace, releaseNamespace } from '../../src/agent/ambient/namespace/enrol-namespace.ts'
import { netnsCache } from '../../src/agent/ambient/namespace/netns-cache.ts'
import { startZds } from '../../src/agent/ambient/zds/server.ts'
import { spawnZtunnel } from '../../src/testing/node/ztunnel/spawn-ztunnel.ts'
import { startZtunnel, type Ztunnel } from '../../src/testing/node/ztunnel/ztunnel.ts'
import { nodeFiles } from '../ambient/node-files.ts'
import { addresses, ambientCluster } from '../ambient/rules/two-pods.ts'
import { reached } from '../stage/reached.ts'

const eventually = { timeout: 20_000 }

const ready = (ztunnel: Ztunnel) => expect.poll(() => ztunnel.ready, eventually).toBe(true)

test('traffic in and out of an enrolled pod passes through ztunnel, and keeps its source address', async () => {
  await using running = await ambientCluster()
  const { pod, other } = running
  await using agent = enrolledPods()
  await using ztunnel = startZtunnel({ path: agent.path })
  await ready(ztunnel)
  await agent.enrol('web', pod)
  expect([...ztunnel.pods.values()]).toEqual([
    {
      uid: 'web',
      workload: { name: 'web', namespace: 'shop', serviceAccount: 'default' },
      namespace: `${pod.dev}:${pod.ino}`,
    },
  ])

  expect(await reached(other, addresses.pod)).toEqual(addresses.other.map((address) => `app from ${address}`))
  expect(await reached(pod, addresses.other)).toEqual(addresses.pod.map((address) => `other from ${address}`))
  expect(ztunnel.forwarded).toEqual([
    { direction: 'inbound', from: addresses.other[0], to: '10.60.0.2:8080' },
    { direction: 'inbound', from: addresses.other[1], to: '[fd60::2]:8080' },
    { direction: 'outbound', from: addresses.pod[0], to: '10.60.0.3:8080' },
    { direction: 'outbound', from: addresses.pod[1], to: '[fd60::3]:8080' },
  ])

  await releaseNamespace(pod, everything, { native: true })
  await agent.forget('web')
  expect(ztunnel.pods.size).toBe(0)
  expect(await reached(pod, addresses.other)).toEqual(addresses.pod.map((address) => `other from ${address}`))
  expect(ztunnel.forwarded).toHaveLength(4)
})

test('the traffic of pods stops with a killed ztunnel; the next ztunnel restores it', async () => {
  await using running = await ambientCluster()
  const { pod, other } = running
  await using agent = enrolledPods()
  await using first = await spawnZtunnel({ path: agent.path })
  await ready(first)
  await agent.enrol('web', pod)
  expect(await reached(other, addresses.pod)).toEqual(addresses.other.map((address) => `app from ${address}`))
  expect(await first.kill()).toBe(137)
  expect(await reached(pod, addresses.other)).toEqual([
    'connect ECONNREFUSED 10.60.0.3:8080',
    'connect ECONNREFUSED fd60::3:8080',
  ])
  await expect(
    agent.zds.add({ uid: 'x', workload: { name: 'x', namespace: 'y', serviceAccount: '' }, netns: pod }),
  ).rejects.toMatchObject({ code: 'NO_ZTUNNEL' })
  await using second = await spawnZtunnel({ path: agent.path })
  await ready(second)
  expect(await reached(pod, addresses.other)).toEqual(addresses.pod.map((address) => `other from ${address}`))
  expect(second.heard).toEqual(['add web', 'snapshotSent'])
})

test('while one ztunnel takes over from another, every connection is served', async () => {
  await using running = await ambientCluster()
  const { pod, other } = running
  await using agent = enrolledPods()
  await using older = await spawnZtunnel({ path: agent.path })
  await ready(older)
  await agent.enrol('web', pod)
  await using newer = await spawnZtunnel({ path: agent.path })
  await ready(newer)
  const served = addresses.pod.map((address) => `other from ${address}`)
  expect(await reached(pod, addresses.other)).toEqual(served)
  await agent.enrol('other', other)
  await expect.poll(() => [older.pods.size, newer.pods.size], eventually).toEqual([1, 2])
  const stopped = older.stop()
  await expect.poll(() => agent.zds.connections().length, eventually).toBe(1)
  expect(await stopped).toBe(0)
  for (let round = 0; round < 5; round++) expect(await reached(pod, addresses.other)).toEqual(served)
  expect(agent.zds.connections()).toMatchObject([{ pid: newer.pid, state: 'live', newest: true }])
})

/** Starts the part of an agent that sends pods to ztunnels, without an API server. */
function enrolledPods() {
  const files = nodeFiles()
  const path = join(files.root, 'ztunnel.sock')
  const cache = netnsCache(files.proc)
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const zds = startZds({ path, snapshot: () => cache.snapshot(), log })
  const workloadOf = (uid: string) => ({ name: uid, namespace: 'shop', serviceAccount: 'default' })
  return {
    path,
    zds,
    /** Enrols a pod like the agent: opens its namespace, writes its rules, and then sends it to ztunnel. */
    async enrol(uid: string, pod: Netns) {
      cache.setNetns(uid, workloadOf(uid), netns.open(`/proc/self/fd/${pod.fd}`))
      await enrolNamespace(pod, everything, { native: true })
      await zds.add({ uid, workload: workloadOf(uid), netns: pod })
    },
    async forget(uid: string) {
      cache.forget(uid)
      await zds.remove(uid)
    },
    async [Symbol.asyncDispose]() {
      await zds.close()
      cache[Symbol.dispose]()
      files[Symbol.dispose]()
    },
  }
}

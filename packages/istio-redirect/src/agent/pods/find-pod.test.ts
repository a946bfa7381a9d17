import { expect, test, vi } from 'vitest'
import { skipReason } from '../../../../istio-rules/src/decide/skip-reason.ts'
import { onNode } from '../../../test/stage/pods.ts'
import { podsFixture } from '../../../test/stage/pods-fixture.ts'
import { meshPod, plainPod } from '../../testing/pods.ts'
import { findPod } from './find-pod.ts'
import { type PodCacheOptions, podCache } from './pod-cache.ts'

const until = (check: () => void) => vi.waitFor(check, { timeout: 5000, interval: 2 })
const who = { namespace: 'demo', name: 'web' }

/** Builds a pod inside or outside of the mesh, on node `n1`. */
const webPod = (uid: string, isMesh: boolean) => {
  const pod = onNode(isMesh ? meshPod(who) : plainPod(who))
  return { ...pod, metadata: { ...pod.metadata, uid } }
}

/** Creates a cache of the pods of node `n1` and a function that looks up a pod. */
async function cachedPods(options: PodCacheOptions = {}, waitMs = 200) {
  const node = await podsFixture()
  const cache = podCache(options)
  const following = node.watches.follow(node.pods, cache.observer, node.signal)
  const ask = (uid?: string) => findPod({ ...who, uid }, { cache, ask: node.ask, waitMs })
  const isMesh = async (uid?: string) => skipReason((await ask(uid)).pod) === undefined
  await until(() => expect(node.api.watches()).toBe(1))
  return {
    ...node,
    cache,
    ask,
    isMesh,
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]()
      await following
    },
  }
}

/** Reproducible pseudo-random numbers. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

test('a name that is reused 1 000 times, inside and outside of the mesh, never returns an earlier pod', async () => {
  await using node = await cachedPods({}, 20)
  const chance = random(7)
  const sources = new Map<string, number>()
  for (let round = 0; round < 1000; round += 1) {
    const mesh = round % 2 === 0
    const uid = `uid-${round}`
    // A broken watch misses the change or gets it later than the runtime. Some pods are replaced without a deletion.
    const luck = chance()
    if (luck < 0.05) node.api.cutAll()
    if (luck > 0.9) node.api.compact()
    if (luck > 0.3) node.api.deletePod(who.namespace, who.name)
    node.api.setPod(webPod(uid, mesh))
    if (luck > 0.6) await until(() => expect(node.cache.find({ ...who, uid }) ?? node.cache.problem()).toBeDefined())
    const { pod, source } = await node.ask(luck > 0.5 && luck < 0.6 ? undefined : uid)
    expect([round, skipReason(pod) === undefined]).toEqual([round, mesh])
    sources.set(source, (sources.get(source) ?? 0) + 1)
  }
  expect(sources.get('cache')).toBeGreaterThan(100)
  expect(sources.get('watch')).toBeGreaterThan(10)
  expect(sources.get('request')).toBeGreaterThan(50)
  expect(node.gets()).toBe(sources.get('request'))
})

test('a watched pod needs no request, and a pod without a UID needs one', async () => {
  await using node = await cachedPods()
  node.api.setPod(webPod('u1', true))
  expect((await node.ask('u1')).source).toBe('watch')
  expect((await node.ask('u1')).source).toBe('cache')
  expect(node.gets()).toBe(0)
  expect((await node.ask()).source).toBe('request')
  expect((await node.ask('')).source).toBe('request')
  expect(node.gets()).toBe(2)
})

test('a pod with an unknown UID, such as a mirror of a static pod, is requested after a wait', async () => {
  await using node = await cachedPods()
  node.api.setPod(webPod('u1', true))
  const began = performance.now()
  expect((await node.ask('config-hash')).source).toBe('request')
  expect(performance.now() - began).toBeGreaterThan(190)
})

test('cached pods are not used after a minute of silence, until the next bookmark', async () => {
  let time = 0
  await using node = await cachedPods({ now: () => time })
  node.api.setPod(webPod('u1', true))
  await node.ask('u1')
  time += 60_000
  expect((await node.ask('u1')).source).toBe('cache')
  time += 1
  expect(node.cache.problem()).toBe('the watch of pods has been silent for 60 s')
  expect((await node.ask('u1')).source).toBe('request')
  node.api.bookmark()
  await until(() => expect(node.cache.problem()).toBeUndefined())
  expect((await node.ask('u1')).source).toBe('cache')
})

test('cached pods are not used after a cut or a 410 until the watch is live again', async () => {
  // Far longer than a request takes on a busy machine.
  const waitMs = 5000
  await using node = await cachedPods({}, waitMs)
  node.api.setPod(webPod('u1', true))
  await node.ask('u1')
  node.api.misbehave({ status: 410 }, { status: 503 }, { hang: true })
  node.api.cutAll()
  await until(() => expect(node.cache.problem()).toMatch(/: 503/))
  node.api.deletePod(who.namespace, who.name)
  node.api.setPod(webPod('u1', false))
  node.api.behave()
  const began = performance.now()
  expect(await node.isMesh('u1')).toBe(false)
  expect(performance.now() - began).toBeLessThan(waitMs / 2)
})

test('a failing request for a pod is an error after one attempt', async () => {
  await using node = await cachedPods()
  await expect(node.ask()).rejects.toThrow(/pod demo\/web could not be read: .*404/)
  expect(node.gets()).toBe(1)
})

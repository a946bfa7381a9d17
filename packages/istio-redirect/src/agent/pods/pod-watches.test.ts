import { expect, test, vi } from 'vitest'
import type { Observer } from '../../../../kube/src/watch/list-watch-options.ts'
import { onNode } from '../../../test/stage/pods.ts'
import { podsFixture } from '../../../test/stage/pods-fixture.ts'
import { plainPod } from '../../testing/pods.ts'
import { podWatches } from './pod-watches.ts'

const until = (check: () => void) => vi.waitFor(check, { timeout: 5000, interval: 5 })
const pod = (name: string) => onNode(plainPod({ name, namespace: 'demo' }))

/** Records the calls of an observer. `names` holds the current pods. */
function witness() {
  const told: string[] = []
  const names = new Set<string>()
  let listed: Set<string> | undefined
  const nameOf = (object: unknown) => (object as { metadata: { name: string } }).metadata.name
  const observer: Observer = {
    listing() {
      told.push('listing')
      listed = new Set()
    },
    present(object) {
      told.push(`present ${nameOf(object)}`)
      names.add(nameOf(object))
      listed?.add(nameOf(object))
    },
    listed() {
      told.push('listed')
      for (const name of names) if (listed?.has(name) === false) names.delete(name)
      listed = undefined
    },
    gone: (object) => void names.delete(nameOf(object)),
    alive: () => void told.push('alive'),
    failed: (error) => void told.push(error.code),
  }
  return { told, names, observer }
}

test('observers of the same pods share one watch, and a later observer gets all pods', async () => {
  await using node = await podsFixture([pod('a')])
  const [first, second, late] = [witness(), witness(), witness()]
  const following = [first, second].map(({ observer }) => node.watches.follow(node.pods, observer, node.signal))
  await until(() => expect(node.api.watches()).toBe(1))
  expect(node.lists()).toBe(1)
  expect(first.told).toEqual(['listing', 'present a', 'listed'])
  expect(second.told).toEqual(first.told)

  node.api.setPod(pod('b'))
  await until(() => expect([...second.names]).toEqual(['a', 'b']))
  const leave = new AbortController()
  const leaving = node.watches.follow(node.pods, late.observer, leave.signal)
  await until(() => expect([...late.names]).toEqual(['a', 'b']))
  await until(() => expect(node.api.watches()).toBe(1))
  expect(node.lists()).toBe(2)
  node.api.bookmark()
  await until(() => expect(first.told.at(-1)).toBe('alive'))

  leave.abort()
  await leaving
  node.api.deletePod('demo', 'a')
  await until(() => expect([...first.names]).toEqual(['b']))
  expect([...late.names]).toEqual(['a', 'b'])
  expect(node.lists()).toBe(2)
  expect(following).toHaveLength(2)
})

test('observers of different pods have separate watches, which end with their last observer', async () => {
  await using node = await podsFixture([pod('a')])
  const [ours, all] = [witness(), witness()]
  const leave = [new AbortController(), new AbortController()] as const
  const following = [
    node.watches.follow(node.pods, ours.observer, leave[0].signal),
    node.watches.follow({ ...node.pods, nodeName: '' }, all.observer, leave[1].signal),
  ]
  await until(() => expect(node.api.watches()).toBe(2))
  node.api.setPod(plainPod({ name: 'elsewhere', namespace: 'demo' }))
  await until(() => expect([...all.names]).toEqual(['a', 'elsewhere']))
  expect([...ours.names]).toEqual(['a'])
  leave[0].abort()
  await following[0]
  await until(() => expect(node.api.watches()).toBe(1))
  leave[1].abort()
  await following[1]
  await until(() => expect(node.api.watches()).toBe(0))

  const again = witness()
  const back = new AbortController()
  const returned = node.watches.follow(node.pods, again.observer, back.signal)
  await until(() => expect([...again.names]).toEqual(['a']))
  back.abort()
  await returned
})

test('an observer that throws is removed, and the others continue', async () => {
  await using node = await podsFixture([pod('a')])
  const fine = witness()
  const broken: Observer = {
    ...witness().observer,
    present() {
      throw new Error('no room')
    },
  }
  const failed = expect(node.watches.follow(node.pods, broken, node.signal)).rejects.toThrow('no room')
  void node.watches.follow(node.pods, fine.observer, node.signal)
  await failed
  await until(() => expect(node.api.watches()).toBe(1))
  node.api.setPod(pod('b'))
  await until(() => expect([...fine.names]).toEqual(['a', 'b']))
})

test('an aborted signal sends no request', async () => {
  await using node = await podsFixture()
  await node.watches.follow(node.pods, witness().observer, AbortSignal.abort())
  expect(node.api.requests).toEqual([])
})

test('the results of requests are reported, including the recovery', async () => {
  await using node = await podsFixture([pod('a')])
  node.api.misbehave({ status: 503 }, { cut: true })
  const said: string[] = []
  const reach = {
    failed: ({ code }: { code: string }) => void said.push(code),
    answered: () => void said.push('answered'),
  }
  const watches = podWatches({ pause: async () => {}, reach })
  void watches.follow(node.pods, witness().observer, node.signal)
  await until(() => expect(said).toEqual(['STATUS', 'NETWORK', 'answered']))
  await until(() => expect(node.api.watches()).toBe(1))
  node.api.bookmark()
  await until(() => expect(said.at(3)).toBe('answered'))
})

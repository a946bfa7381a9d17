import { expect, test } from 'vitest'
import { KubeError } from '../kube-error.ts'
import { watchStore } from './watch-store.ts'

/** An object as the API server sends it. */
const object = (name: string, version: string, { uid = `uid-${name}`, wanted = true, namespace = 'demo' } = {}) => ({
  metadata: { namespace, name, uid, resourceVersion: version },
  spec: { wanted },
})

interface Kept {
  readonly version: string
  readonly mark?: string
}

/** A store that keeps the versions of wanted objects, and records its reports. */
function noted() {
  const notes: unknown[] = []
  let time = 0
  const store = watchStore<Kept>({
    keep(told) {
      const { metadata, spec } = told as ReturnType<typeof object>
      if (spec === undefined) return undefined
      return spec.wanted ? { version: metadata.resourceVersion } : null
    },
    changed: (key, before, after) => void notes.push([key, before?.version, after?.version]),
    malformed: () => void notes.push('malformed'),
    listed: () => void notes.push('listed'),
    failed: ({ code }, pauseMs) => void notes.push([code, pauseMs]),
    now: () => time,
  })
  const pass = (ms: number): void => {
    time += ms
  }
  return { store, notes, pass }
}

const cut = new KubeError('NETWORK', 'GET /: cut')

test('a list adds, repeats and removes objects, and its end is reported after the changes', () => {
  const { store, notes } = noted()
  store.listing()
  store.present(object('a', '1'))
  store.present(object('b', '2'))
  expect([store.isListed(), store.isListing()]).toEqual([false, true])
  store.listed()
  expect([store.isListed(), store.isListing(), [...store.keys()]]).toEqual([true, false, ['demo/a', 'demo/b']])
  store.listing()
  store.present(object('b', '2'))
  expect([store.isListed(), store.size()]).toEqual([true, 2])
  store.listed()
  expect(notes).toEqual([
    ['demo/a', undefined, '1'],
    ['demo/b', undefined, '2'],
    'listed',
    ['demo/b', '2', '2'],
    ['demo/a', '1', undefined],
    'listed',
  ])
})

test('an incomplete list removes no object', () => {
  const { store } = noted()
  for (const names of [['a', 'b'], ['a'], ['b']]) {
    store.listing()
    for (const name of names) store.present(object(name, '1'))
    if (names.length === 1 && names[0] === 'a') store.failed(cut, 1000)
    else store.listed()
    expect([...store.keys()]).toEqual({ a: ['demo/b', 'demo/a'], b: ['demo/b'] }[names.join()] ?? ['demo/a', 'demo/b'])
  }
})

test('an object with a new UID replaces the earlier one, whose deletion does not remove it', () => {
  const { store, notes } = noted()
  store.present(object('a', '1'))
  store.present(object('a', '3', { uid: 'another' }))
  store.gone(object('a', '2'))
  expect(store.get('demo/a')).toEqual({ version: '3' })
  store.gone(object('a', '4', { uid: 'another' }))
  expect(notes).toEqual([
    ['demo/a', undefined, '1'],
    ['demo/a', '1', undefined],
    ['demo/a', undefined, '3'],
    ['demo/a', '3', undefined],
  ])
})

test('an object that is no longer wanted is removed, and a malformed one is reported and ignored', () => {
  const { store, notes } = noted()
  store.present(object('a', '1'))
  store.present(object('never', '2', { wanted: false }))
  for (const odd of [undefined, null, 7, {}, { metadata: { name: '' } }, { metadata: object('a', '3').metadata }]) {
    store.present(odd)
    store.gone(odd === undefined ? odd : {})
  }
  expect(store.size()).toBe(1)
  store.present(object('a', '4', { wanted: false }))
  expect([store.size(), notes.filter((note) => note !== 'malformed')]).toEqual([
    0,
    [
      ['demo/a', undefined, '1'],
      ['demo/a', '1', undefined],
    ],
  ])
  expect(notes.filter((note) => note === 'malformed')).toHaveLength(6)
})

test('an object without a namespace has its name as key, and keys are sorted by the time of the last change', () => {
  const { store, notes } = noted()
  for (const name of ['a', 'b', 'a']) store.present(object(name, '1', { namespace: '' }))
  expect([...store.keys()]).toEqual(['b', 'a'])
  store.forget('b')
  store.forget('unknown')
  expect([[...store.values()], notes.at(-1)]).toEqual([[{ version: '1' }], ['b', '1', undefined]])
})

test('a failure is reported, and cleared by the next message of the watch', () => {
  const { store, notes, pass } = noted()
  store.alive()
  expect([store.silentMs(), store.isListed()]).toEqual([undefined, false])
  store.listing()
  store.listed()
  pass(5)
  store.failed(cut, 1000)
  expect([store.failure(), store.silentMs(), notes.at(-1)]).toEqual([cut, 5, ['NETWORK', 1000]])
  store.alive()
  expect([store.failure(), store.silentMs()]).toEqual([undefined, 0])
})

test('an own write applies until the watch reaches its version, at most ten seconds', () => {
  const { store, pass } = noted()
  const mark = () => store.get('demo/a')?.mark
  const apply = (kept: Kept): Kept => ({ ...kept, mark: 'ours' })
  store.wrote('demo/a', apply, '3')
  store.present(object('a', '9'))
  store.wrote('demo/a', apply, '11')
  expect(store.get('demo/a')).toEqual({ version: '9', mark: 'ours' })
  store.present(object('a', '10'))
  expect(store.get('demo/a')).toEqual({ version: '10', mark: 'ours' })
  store.present(object('a', '12'))
  expect(mark()).toBeUndefined()
  store.wrote('demo/a', apply, '12')
  expect(mark()).toBeUndefined()
  store.wrote('demo/a', apply, undefined)
  store.present(object('a', '13'))
  expect(mark()).toBe('ours')
  pass(10_000)
  store.present(object('a', '14'))
  expect(mark()).toBeUndefined()
})

test('a caller waits for an object of the watch, or for its own signal', async () => {
  const { store } = noted()
  const { signal } = new AbortController()
  const found = store.until(() => store.get('demo/a'), signal)
  const stop = new AbortController()
  const stopped = store.until(() => undefined, stop.signal)
  store.listing()
  store.present(object('a', '1'))
  store.listed()
  expect(await found).toEqual({ version: '1' })
  expect(await store.until(() => store.get('demo/a'), signal)).toEqual({ version: '1' })
  stop.abort(new Error('enough'))
  await expect(stopped).rejects.toThrow('enough')
  await expect(store.until(() => undefined, stop.signal)).rejects.toThrow('enough')
})

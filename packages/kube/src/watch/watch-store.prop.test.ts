import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KubeError } from '../kube-error.ts'
import { watchStore } from './watch-store.ts'

interface Change {
  readonly name: string
  /** `deleted`, or the decision of `keep` about the object. */
  readonly what: 'deleted' | 'wanted' | 'unwanted'
}

interface Kept {
  readonly uid: string
  readonly version: number
}

interface Told extends Kept {
  readonly name: string
  readonly what: Change['what']
}

const change = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  what: fc.constantFrom<Change['what']>('deleted', 'wanted', 'unwanted', 'wanted'),
})

/** Steps of a watch: it reads events, or lists again from a server that is `behind` by that many changes. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ events: fc.nat({ max: 4 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ list: fc.constantFrom('complete', 'cut'), behind: fc.nat({ max: 3 }), seed: fc.nat() }),
  },
)

/** History of an API server. The change of version `n` is at index `n - 1`. A deleted name gets a new UID. */
function historyOf(changes: readonly Change[]): Told[] {
  const uids = new Map<string, string>()
  return changes.flatMap(({ name, what }, index): Told[] => {
    const version = index + 1
    const uid = uids.get(name) ?? `${name}-${version}`
    uids.set(name, uid)
    if (what === 'deleted') uids.delete(name)
    return [{ name, what, uid, version }]
  })
}

/** Objects of the API server at a version. */
function stateAt(history: readonly Told[], version: number): Map<string, Told> {
  const state = new Map<string, Told>()
  for (const told of history.slice(0, version)) {
    if (told.what === 'deleted') state.delete(told.name)
    else state.set(told.name, told)
  }
  return state
}

const objectOf = ({ name, uid, version, what }: Told) => ({
  metadata: { namespace: 'demo', name, uid, resourceVersion: String(version) },
  kept: what === 'wanted' ? { uid, version } : null,
})

test('after any lists and watches the store equals the API server, and each difference was reported once', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), fc.array(step, { maxLength: 20 }), (changes, steps) => {
      const history = historyOf(changes)
      /** Objects as a listener of `changed` knows them. */
      const mirror = new Map<string, Kept>()
      let isListing = false
      const store = watchStore<Kept>({
        keep: (object) => (object as ReturnType<typeof objectOf>).kept,
        changed(key, before, after) {
          expect(before).toEqual(mirror.get(key))
          // Only a list reports unchanged objects.
          if (!isListing) expect(after).not.toEqual(before)
          if (before !== undefined && after !== undefined) expect(after.uid).toBe(before.uid)
          if (after === undefined) mirror.delete(key)
          else mirror.set(key, after)
          expect(store.get(key)).toEqual(after)
        },
      })
      const list = (version: number, isCut: boolean, seed: number): void => {
        isListing = true
        store.listing()
        const there = [...stateAt(history, version).values()].sort(
          (one, other) => ((one.version * seed) % 7) - ((other.version * seed) % 7),
        )
        for (const told of isCut ? there.slice(1) : there) store.present(objectOf(told))
        if (isCut) store.failed(new KubeError('NETWORK', 'cut'), 1000)
        else store.listed()
        isListing = store.isListing()
      }
      const watch = (from: number, events: number): number => {
        for (const told of history.slice(from, from + events)) {
          if (told.what === 'deleted') store.gone(objectOf(told))
          else store.present(objectOf(told))
          store.alive()
        }
        return Math.min(from + events, history.length)
      }
      let version: number | undefined
      let newest = 0
      for (const each of steps) {
        if ('events' in each) {
          // A watch needs a complete list.
          if (version !== undefined) version = watch(version, each.events)
        } else {
          const at = Math.max(0, (version ?? newest) + 2 - each.behind)
          const listed = Math.min(at, history.length)
          list(listed, each.list === 'cut', each.seed)
          version = each.list === 'cut' ? undefined : listed
        }
        newest = Math.max(newest, version ?? 0)
      }
      if (version === undefined) list(newest, false, 1)
      watch(version ?? newest, history.length)

      const expected = [...stateAt(history, history.length).values()].flatMap((told) =>
        told.what === 'wanted' ? [[`demo/${told.name}`, { uid: told.uid, version: told.version }] as const] : [],
      )
      expect(new Map([...store.keys()].map((key) => [key, store.get(key)]))).toEqual(new Map(expected))
      expect(mirror).toEqual(new Map(expected))
    }),
    { numRuns: 2000 },
  )
})

import { podInfo } from '@cni/istio-rules'
import { parsePod } from '@cni/kube'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const who = { namespace: 'demo', name: 'web' }
const complete = {
  metadata: { ...who, labels: { a: 'b' }, annotations: { c: 'd', e: 'f' } },
  spec: {
    hostNetwork: true,
    initContainers: [{ name: 'istio-validation' }],
    containers: [
      { name: 'app', args: ['x'] },
      {
        name: 'istio-proxy',
        args: ['proxy', 'sidecar'],
        env: [{ name: 'A', value: '1' }, { name: 'B' }],
        securityContext: { runAsUser: 7, runAsGroup: 8 },
      },
    ],
  },
}

/** Paths of all members of a document. */
function paths(value: unknown, at: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => {
    const path = [...at, key]
    return [...(Array.isArray(value) ? [] : [path]), ...paths(member, path)]
  })
}

function changed(document: unknown, [key = '', ...rest]: readonly string[], how: 'null' | 'absent'): unknown {
  if (Array.isArray(document)) {
    return document.map((item, index) => (String(index) === key ? changed(item, rest, how) : item))
  }
  if (typeof document !== 'object' || document === null) return document
  return Object.fromEntries(
    Object.entries(document).flatMap(([name, member]) => {
      if (name !== key) return [[name, member]]
      if (rest.length > 0) return [[name, changed(member, rest, how)]]
      return how === 'null' ? [[name, null]] : []
    }),
  )
}

const outcome = (document: unknown): unknown => {
  try {
    return podInfo(parsePod(document, who))
  } catch (error) {
    return String(error)
  }
}

describe('a member of a pod', () => {
  test.each(paths(complete).map((path) => [path.join('.'), path] as const))('%s that is null is absent', (_, path) => {
    expect(outcome(changed(complete, path, 'null'))).toEqual(outcome(changed(complete, path, 'absent')))
  })

  test('may be null together with other null members', () => {
    const some = fc.subarray(paths(complete))
    fc.assert(
      fc.property(some, (chosen) => {
        // Starts with the longest paths: a parent may be removed only after its members.
        const order = chosen.toSorted((a, b) => b.length - a.length)
        const as = (how: 'null' | 'absent') => order.reduce<unknown>((one, path) => changed(one, path, how), complete)
        expect(outcome(as('null'))).toEqual(outcome(as('absent')))
      }),
    )
  })

  test('causes an error that names it if its type is wrong, and an invalid document causes an error', () => {
    const wrong = changed(complete, ['spec', 'hostNetwork'], 'null')
    expect(outcome({ ...Object(wrong), spec: { containers: 7, hostNetwork: null } })).toMatch(
      /not a pod: spec\.containers has the wrong type/,
    )
    for (const none of [null, 7, [], { metadata: null }]) expect(outcome(none)).toMatch(/not a pod/)
  })
})

import { electZtunnel, readZtunnelPod, type ZtunnelPod } from '@cni/istio-node-level'
import { describe, expect, test } from 'vitest'
import { nodeZtunnels } from './node-ztunnels.ts'

const settings = { systemNamespace: 'istio-system' }

interface Described {
  readonly uid: string
  readonly at?: unknown
  readonly ready?: string
  readonly ip?: string
  readonly namespace?: string
  readonly app?: string
  readonly env?: unknown
  readonly spec?: object
  readonly metadata?: object
  readonly phase?: string
}

/** A ztunnel, as the API server sends it. */
const ztunnel = ({
  uid,
  at = '2024-05-01T10:00:00Z',
  ready = 'True',
  ip = '10.60.0.2',
  namespace = 'istio-system',
  app = 'ztunnel',
  env = [],
  spec = {},
  metadata = {},
  phase = 'Running',
}: Described) => ({
  metadata: { namespace, name: uid, uid, creationTimestamp: at, labels: { app }, ...metadata },
  spec: { containers: [{ name: 'istio-proxy', env }], ...spec },
  status: { phase, podIP: ip, conditions: [{ type: 'Ready', status: ready }] },
})

const read = (...pods: readonly Described[]): ZtunnelPod[] =>
  pods.flatMap((pod) => readZtunnelPod(ztunnel(pod), settings) ?? [])

describe('the newest ready ztunnel is elected', () => {
  const old = { uid: 'old', at: '2024-05-01T10:00:00Z' }
  const fresh = { uid: 'fresh', at: '2024-05-01T11:00:00Z' }
  test.each<[string, readonly Described[], string | undefined]>([
    ['none of none', [], undefined],
    ['the only one', [old], 'old'],
    ['the newer of two', [old, fresh], 'fresh'],
    ['in whatever order they come', [fresh, old], 'fresh'],
    ['not one that is not ready', [old, { ...fresh, ready: 'False' }], 'old'],
    ['not one of which that is unknown', [{ ...old, ready: 'Unknown' }], undefined],
    ['not one without an address', [old, { ...fresh, ip: '' }], 'old'],
    ['not one of IPv6 only', [old, { ...fresh, ip: 'fd00::2' }], 'old'],
    [
      'not one that is being deleted',
      [old, { ...fresh, metadata: { deletionTimestamp: '2024-05-01T12:00:00Z' } }],
      'old',
    ],
    ['not one that has ended', [old, { ...fresh, phase: 'Failed' }], 'old'],
    ['not one of another namespace, whoever made it', [old, { ...fresh, namespace: 'shop' }], 'old'],
    ['not a pod without the label', [old, { ...fresh, app: 'web' }], 'old'],
    ['not one on the network of the node', [old, { ...fresh, spec: { hostNetwork: true } }], 'old'],
    ['the one whose age is known', [{ ...old, at: 7 }, fresh], 'fresh'],
    [
      'always the same of two of one second',
      [
        { ...old, uid: 'b' },
        { ...old, uid: 'a' },
      ],
      'b',
    ],
  ])('%s', (_, pods, expected) => {
    expect(electZtunnel(read(...pods))?.uid).toBe(expected)
    expect(electZtunnel(read(...pods.toReversed()))?.uid).toBe(expected)
  })

  test.each<[string, unknown, boolean]>([
    ['true', [{ name: 'ISTIO_META_DNS_CAPTURE', value: 'true' }], true],
    ['false', [{ name: 'ISTIO_META_DNS_CAPTURE', value: 'false' }], false],
    ['true of another one', [{ name: 'DNS_CAPTURE', value: 'true' }], false],
    ['not a text', [{ name: 'ISTIO_META_DNS_CAPTURE', value: true }], false],
    ['in what is no list', { name: 'ISTIO_META_DNS_CAPTURE', value: 'true' }, false],
    ['not there', null, false],
  ])('DNS is captured by its own variable: %s', (_, env, expected) => {
    expect(read({ uid: 'z', env })[0]?.dnsCapture).toBe(expected)
  })

  test.each([[null], [7], ['x'], [{}], [{ metadata: { labels: { app: 'ztunnel' } } }], [[]]])(
    '%j is none',
    (document) => {
      expect(readZtunnelPod(document, settings)).toBeUndefined()
    },
  )
})

test('who is known is told by a watch, at the end of its list, and who has gone meanwhile is forgotten', () => {
  let changes = 0
  const count = (): void => {
    changes += 1
  }
  const known = nodeZtunnels({ ...settings, changed: count })
  const { observer } = known
  const uids = () => known.all().map(({ uid }) => uid)
  observer.listing()
  observer.present(ztunnel({ uid: 'a' }))
  observer.present(ztunnel({ uid: 'web', app: 'web' }))
  expect([uids(), changes]).toEqual([[], 0])
  observer.listed()
  expect([uids(), changes]).toEqual([['a'], 1])
  observer.present(ztunnel({ uid: 'b' }))
  observer.gone(ztunnel({ uid: 'web', app: 'web' }))
  expect([uids(), changes]).toEqual([['a', 'b'], 2])
  observer.listing()
  observer.present(ztunnel({ uid: 'b' }))
  observer.listed()
  expect([uids(), changes]).toEqual([['b'], 3])
  observer.gone(ztunnel({ uid: 'b' }))
  expect([uids(), changes]).toEqual([[], 4])
})

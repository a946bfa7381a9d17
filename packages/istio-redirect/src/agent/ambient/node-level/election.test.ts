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

/** Builds a ztunnel pod as the API server sends it. */
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

describe('the election of a ztunnel', () => {
  const old = { uid: 'old', at: '2024-05-01T10:00:00Z' }
  const fresh = { uid: 'fresh', at: '2024-05-01T11:00:00Z' }
  test.each<[string, readonly Described[], string | undefined]>([
    ['elects no ztunnel from an empty list', [], undefined],
    ['elects the only ztunnel', [old], 'old'],
    ['elects the newer of two', [old, fresh], 'fresh'],
    ['elects the newer of two in any order', [fresh, old], 'fresh'],
    ['skips a ztunnel that is not ready', [old, { ...fresh, ready: 'False' }], 'old'],
    ['skips a ztunnel with unknown readiness', [{ ...old, ready: 'Unknown' }], undefined],
    ['skips a ztunnel without an address', [old, { ...fresh, ip: '' }], 'old'],
    ['skips a ztunnel with IPv6 only', [old, { ...fresh, ip: 'fd00::2' }], 'old'],
    [
      'skips a ztunnel in deletion',
      [old, { ...fresh, metadata: { deletionTimestamp: '2024-05-01T12:00:00Z' } }],
      'old',
    ],
    ['skips a terminated ztunnel', [old, { ...fresh, phase: 'Failed' }], 'old'],
    ['skips a pod of another namespace', [old, { ...fresh, namespace: 'shop' }], 'old'],
    ['skips a pod without the label', [old, { ...fresh, app: 'web' }], 'old'],
    ['skips a ztunnel on the host network', [old, { ...fresh, spec: { hostNetwork: true } }], 'old'],
    ['prefers a ztunnel with a known age', [{ ...old, at: 7 }, fresh], 'fresh'],
    [
      'elects the same of two that were created in the same second',
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
    ['on with "true"', [{ name: 'ISTIO_META_DNS_CAPTURE', value: 'true' }], true],
    ['off with "false"', [{ name: 'ISTIO_META_DNS_CAPTURE', value: 'false' }], false],
    ['off with "true" in another variable', [{ name: 'DNS_CAPTURE', value: 'true' }], false],
    ['off with a boolean', [{ name: 'ISTIO_META_DNS_CAPTURE', value: true }], false],
    ['off with a malformed list', { name: 'ISTIO_META_DNS_CAPTURE', value: 'true' }, false],
    ['off without variables', null, false],
  ])('the variable ISTIO_META_DNS_CAPTURE determines DNS capture: %s', (_, env, expected) => {
    expect(read({ uid: 'z', env })[0]?.dnsCapture).toBe(expected)
  })

  test.each([[null], [7], ['x'], [{}], [{ metadata: { labels: { app: 'ztunnel' } } }], [[]]])(
    '%j is not a ztunnel',
    (document) => {
      expect(readZtunnelPod(document, settings)).toBeUndefined()
    },
  )
})

test('ztunnels of a watch are listed after the first list, and deleted ones are forgotten', () => {
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

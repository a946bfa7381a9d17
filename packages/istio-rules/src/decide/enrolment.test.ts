import { describe, expect, test } from 'vitest'
import { mode, ambientPod as pod, settings } from '../../test/ambient-pods.ts'
import { type AmbientPod, readAmbientPod } from './ambient-pod.ts'
import { belongsInSnapshot, decideEnrolment, namespaceMatters, namespaceWarning } from './enrolment.ts'
import type { Labels } from './label-selector.ts'

const ambient = { [mode]: 'ambient' }
const none = { [mode]: 'none' }

describe('a pod belongs to the mesh', () => {
  test.each<[string, Partial<AmbientPod>, Labels, string]>([
    ['by its own label', { labels: ambient }, {}, 'enrolled'],
    ['by the label of its namespace', {}, ambient, 'enrolled'],
    ['by both', { labels: ambient }, ambient, 'enrolled'],
    ['not without any label', {}, {}, 'not-selected'],
    ['not if its own label is none', { labels: none }, ambient, 'not-selected'],
    ['not if the label of its namespace is none', {}, none, 'not-selected'],
    ['by its own label in a namespace with the label none', { labels: ambient }, none, 'enrolled'],
    ['not by a label with another value', { labels: { [mode]: 'Ambient' } }, {}, 'not-selected'],
    ['by its namespace if its own label has another value', { labels: { [mode]: 'x' } }, ambient, 'enrolled'],
    ['not with a sidecar', { annotations: { 'sidecar.istio.io/status': '' } }, ambient, 'sidecar'],
    ['not on the network of the node', { labels: ambient, hostNetwork: true }, ambient, 'host-network'],
    ['not in an excluded namespace', { namespace: 'kube-system', labels: ambient }, ambient, 'namespace-excluded'],
    ['not if it is ztunnel', { namespace: 'istio-system', labels: { app: 'ztunnel' } }, ambient, 'ztunnel'],
    [
      'not if it is ztunnel with its own label',
      { namespace: 'istio-system', labels: { app: 'ztunnel', ...ambient } },
      {},
      'ztunnel',
    ],
    ['with the label of ztunnel in another namespace', { labels: { app: 'ztunnel', ...ambient } }, {}, 'enrolled'],
    ['in the namespace of ztunnel', { namespace: 'istio-system', labels: ambient }, {}, 'enrolled'],
    ['not if it has ended', { labels: ambient, completed: true }, {}, 'completed'],
    ['also without an address', { labels: ambient, addresses: [] }, {}, 'enrolled'],
    [
      'independent of its annotation',
      { annotations: { 'ambient.istio.io/redirection': 'disabled' } },
      ambient,
      'enrolled',
    ],
    [
      'not because of its annotation',
      { annotations: { 'ambient.istio.io/redirection': 'enabled' } },
      {},
      'not-selected',
    ],
  ])('%s', (_, more, labels, expected) => {
    const decision = decideEnrolment(pod(more), labels, settings)
    expect(decision.enrolled ? 'enrolled' : decision.reason).toBe(expected)
    expect(decision.why).toMatch(/^[a-z].*[^.]$/)
  })

  test('by any selector; an empty selector chooses all pods, and an empty list chooses none', () => {
    const by = (...selectors: readonly object[]) => decideEnrolment(pod(), {}, { ...settings, selectors }).enrolled
    expect(by({})).toBe(true)
    expect(by({ podSelector: null, namespaceSelector: {} })).toBe(true)
    expect(by()).toBe(false)
    expect(by({ podSelector: { matchLabels: { a: 'b' } } }, { podSelector: {} })).toBe(true)
    expect(by({ podSelector: {}, namespaceSelector: { matchLabels: { a: 'b' } } })).toBe(false)
  })

  test('not because of members that every object inherits', () => {
    const selectors = [{ podSelector: { matchExpressions: [{ key: 'constructor', operator: 'Exists' as const }] } }]
    expect(decideEnrolment(pod(), {}, { ...settings, selectors }).enrolled).toBe(false)
  })
})

describe('the snapshot for ztunnel', () => {
  const enabled = { 'ambient.istio.io/redirection': 'enabled' }
  test.each<[string, Partial<AmbientPod>, boolean]>([
    ['contains enabled pods, independent of their labels', { annotations: enabled }, true],
    ['contains no pending pod', { annotations: { 'ambient.istio.io/redirection': 'pending' } }, false],
    ['contains no pod without the annotation', { labels: ambient }, false],
    ['contains no pod that has ended', { annotations: enabled, completed: true }, false],
    ['contains no ztunnel', { annotations: enabled, namespace: 'istio-system', labels: { app: 'ztunnel' } }, false],
    ['contains no pod on the network of the node', { annotations: enabled, hostNetwork: true }, false],
  ])('%s', (_, more, expected) => {
    expect(belongsInSnapshot(pod(more), settings)).toBe(expected)
  })
})

describe('namespaceMatters', () => {
  test.each<[string, Labels | undefined, Labels, boolean]>([
    ['returns true for a new namespace', undefined, {}, true],
    ['returns true for a namespace that becomes ambient', {}, ambient, true],
    ['returns true for a namespace that stops being ambient', ambient, none, true],
    ['returns false if only other labels change', { ...ambient, a: '1' }, { ...ambient, a: '2' }, false],
    ['returns false for a namespace that stays outside ambient mode', {}, none, false],
  ])('%s', (_, before, after, expected) => {
    expect(namespaceMatters(before, after, settings)).toBe(expected)
  })

  test('returns true if another selector than before matches', () => {
    const by = (team: string, pods: string) => ({
      podSelector: { matchLabels: { pods } },
      namespaceSelector: { matchLabels: { team } },
    })
    const selectors = [by('red', 'a'), by('blue', 'b')]
    expect(namespaceMatters({ team: 'red' }, { team: 'blue' }, { selectors })).toBe(true)
  })

  test('namespaceWarning reports an excluded namespace that asks for ambient mode', () => {
    expect(namespaceWarning('kube-system', ambient, settings)).toContain('namespace kube-system asks for ambient mode')
    expect(namespaceWarning('kube-system', {}, settings)).toBeUndefined()
    expect(namespaceWarning('shop', ambient, settings)).toBeUndefined()
  })
})

describe('a document of the API server', () => {
  const metadata = { namespace: 'shop', name: 'web-0', uid: 'u-1' }

  test.each<[string, unknown, readonly string[]]>([
    [
      'podIPs and podIP',
      { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.2' }, { ip: 'fd00:0::2' }] },
      ['10.0.0.2', 'fd00::2'],
    ],
    ['only podIP', { podIP: '10.0.0.1' }, ['10.0.0.1']],
    ['podIP and an empty list', { podIP: '10.0.0.1', podIPs: [] }, ['10.0.0.1']],
    ['a mapped address', { podIPs: [{ ip: '::ffff:10.0.0.1' }] }, ['10.0.0.1']],
    ['addresses that every namespace has', { podIPs: [{ ip: '127.0.0.1' }, { ip: '::1' }, { ip: 'fe80::1' }] }, []],
    ['duplicate addresses', { podIPs: [{ ip: '10.0.0.1' }, { ip: '::ffff:10.0.0.1' }] }, ['10.0.0.1']],
    ['invalid addresses', { podIPs: [{ ip: '10.0.0.1/8' }, { ip: 7 }, null, 'x', { ip: '10.0.0.3' }] }, ['10.0.0.3']],
    ['nothing', null, []],
  ])('with %s in its status', (_, status, addresses) => {
    expect(readAmbientPod({ metadata, status })?.addresses).toEqual(addresses)
  })

  test('is read, and members of the wrong type are absent', () => {
    const labels = { app: 'web', odd: 3, list: ['x'] }
    const spec = { hostNetwork: 'true', serviceAccountName: 'sa' }
    expect(
      readAmbientPod({ metadata: { ...metadata, labels, annotations: 'x' }, spec, status: { phase: 'Failed' } }),
    ).toEqual({
      ...metadata,
      serviceAccount: 'sa',
      labels: { app: 'web' },
      annotations: {},
      hostNetwork: false,
      completed: true,
      addresses: [],
    })
  })

  test.each([
    null,
    'x',
    [],
    {},
    { metadata: { ...metadata, uid: '../x' } },
    { metadata: { ...metadata, name: 'a/b' } },
    { metadata: { ...metadata, namespace: '' } },
    { metadata: { namespace: 'shop', name: 'web-0' } },
  ])('is undefined if it is not a pod: %j', (document) => {
    expect(readAmbientPod(document)).toBeUndefined()
  })
})

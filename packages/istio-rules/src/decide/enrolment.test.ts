import { describe, expect, test } from 'vitest'
import { mode, ambientPod as pod, settings } from '../../test/ambient-pods.ts'
import { type AmbientPod, readAmbientPod } from './ambient-pod.ts'
import { belongsInSnapshot, decideEnrolment, namespaceMatters, namespaceWarning } from './enrolment.ts'
import type { Labels } from './label-selector.ts'

const ambient = { [mode]: 'ambient' }
const none = { [mode]: 'none' }

describe('a pod belongs into the mesh', () => {
  test.each<[string, Partial<AmbientPod>, Labels, string]>([
    ['by its own label', { labels: ambient }, {}, 'enrolled'],
    ['by the label of its namespace', {}, ambient, 'enrolled'],
    ['by both', { labels: ambient }, ambient, 'enrolled'],
    ['not without any label', {}, {}, 'not-selected'],
    ['not when its own label says none', { labels: none }, ambient, 'not-selected'],
    ['not when the label of its namespace says none', {}, none, 'not-selected'],
    ['by its own label in a namespace that says none', { labels: ambient }, none, 'enrolled'],
    ['not by a label with another value', { labels: { [mode]: 'Ambient' } }, {}, 'not-selected'],
    ['whatever other value its own label has', { labels: { [mode]: 'x' } }, ambient, 'enrolled'],
    ['not with a sidecar', { annotations: { 'sidecar.istio.io/status': '' } }, ambient, 'sidecar'],
    ['not on the network of the node', { labels: ambient, hostNetwork: true }, ambient, 'host-network'],
    ['not in an excluded namespace', { namespace: 'kube-system', labels: ambient }, ambient, 'namespace-excluded'],
    ['not when it is ztunnel', { namespace: 'istio-system', labels: { app: 'ztunnel' } }, ambient, 'ztunnel'],
    [
      'not when it is ztunnel, with a label of its own',
      { namespace: 'istio-system', labels: { app: 'ztunnel', ...ambient } },
      {},
      'ztunnel',
    ],
    ['under the name of ztunnel, elsewhere', { labels: { app: 'ztunnel', ...ambient } }, {}, 'enrolled'],
    ['beside ztunnel', { namespace: 'istio-system', labels: ambient }, {}, 'enrolled'],
    ['not when it has ended', { labels: ambient, completed: true }, {}, 'completed'],
    ['without an address too', { labels: ambient, addresses: [] }, {}, 'enrolled'],
    [
      'whatever its annotation says',
      { annotations: { 'ambient.istio.io/redirection': 'disabled' } },
      ambient,
      'enrolled',
    ],
    ['not by its annotation', { annotations: { 'ambient.istio.io/redirection': 'enabled' } }, {}, 'not-selected'],
  ])('%s', (_, more, labels, expected) => {
    const decision = decideEnrolment(pod(more), labels, settings)
    expect(decision.enrolled ? 'enrolled' : decision.reason).toBe(expected)
    expect(decision.why).toMatch(/^[a-z].*[^.]$/)
  })

  test('by any selector, an empty one chooses everything, and none chooses nothing', () => {
    const by = (...selectors: readonly object[]) => decideEnrolment(pod(), {}, { ...settings, selectors }).enrolled
    expect(by({})).toBe(true)
    expect(by({ podSelector: null, namespaceSelector: {} })).toBe(true)
    expect(by()).toBe(false)
    expect(by({ podSelector: { matchLabels: { a: 'b' } } }, { podSelector: {} })).toBe(true)
    expect(by({ podSelector: {}, namespaceSelector: { matchLabels: { a: 'b' } } })).toBe(false)
  })

  test('not by labels that every object inherits', () => {
    const selectors = [{ podSelector: { matchExpressions: [{ key: 'constructor', operator: 'Exists' as const }] } }]
    expect(decideEnrolment(pod(), {}, { ...settings, selectors }).enrolled).toBe(false)
  })
})

describe('what ztunnel is told when it connects', () => {
  const enabled = { 'ambient.istio.io/redirection': 'enabled' }
  test.each<[string, Partial<AmbientPod>, boolean]>([
    ['has pods that are enabled, whatever their labels', { annotations: enabled }, true],
    ['has no pod that is pending', { annotations: { 'ambient.istio.io/redirection': 'pending' } }, false],
    ['has no pod without the annotation', { labels: ambient }, false],
    ['has no pod that has ended', { annotations: enabled, completed: true }, false],
    ['has no ztunnel', { annotations: enabled, namespace: 'istio-system', labels: { app: 'ztunnel' } }, false],
    ['has no pod on the network of the node', { annotations: enabled, hostNetwork: true }, false],
  ])('%s', (_, more, expected) => {
    expect(belongsInSnapshot(pod(more), settings)).toBe(expected)
  })
})

describe('a namespace', () => {
  test.each<[string, Labels | undefined, Labels, boolean]>([
    ['that is new has its pods looked at', undefined, {}, true],
    ['that becomes ambient has its pods looked at', {}, ambient, true],
    ['that stops being ambient has its pods looked at', ambient, none, true],
    ['whose other labels change is left alone', { ...ambient, a: '1' }, { ...ambient, a: '2' }, false],
    ['that goes on not being ambient is left alone', {}, none, false],
  ])('%s', (_, before, after, expected) => {
    expect(namespaceMatters(before, after, settings)).toBe(expected)
  })

  test('that another selector chooses than before has its pods looked at', () => {
    const by = (team: string, pods: string) => ({
      podSelector: { matchLabels: { pods } },
      namespaceSelector: { matchLabels: { team } },
    })
    const selectors = [by('red', 'a'), by('blue', 'b')]
    expect(namespaceMatters({ team: 'red' }, { team: 'blue' }, { selectors })).toBe(true)
  })

  test('that is excluded but asks for ambient mode is odd', () => {
    expect(namespaceWarning('kube-system', ambient, settings)).toContain('namespace kube-system asks for ambient mode')
    expect(namespaceWarning('kube-system', {}, settings)).toBeUndefined()
    expect(namespaceWarning('shop', ambient, settings)).toBeUndefined()
  })
})

describe('a document of the API server', () => {
  const metadata = { namespace: 'shop', name: 'web-0', uid: 'u-1' }

  test.each<[string, unknown, readonly string[]]>([
    [
      'podIPs before podIP',
      { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.2' }, { ip: 'fd00:0::2' }] },
      ['10.0.0.2', 'fd00::2'],
    ],
    ['podIP alone', { podIP: '10.0.0.1' }, ['10.0.0.1']],
    ['podIP beside an empty list', { podIP: '10.0.0.1', podIPs: [] }, ['10.0.0.1']],
    ['an address in IPv6 notation', { podIPs: [{ ip: '::ffff:10.0.0.1' }] }, ['10.0.0.1']],
    ['addresses that every namespace has', { podIPs: [{ ip: '127.0.0.1' }, { ip: '::1' }, { ip: 'fe80::1' }] }, []],
    ['the same twice', { podIPs: [{ ip: '10.0.0.1' }, { ip: '::ffff:10.0.0.1' }] }, ['10.0.0.1']],
    ['what is no address', { podIPs: [{ ip: '10.0.0.1/8' }, { ip: 7 }, null, 'x', { ip: '10.0.0.3' }] }, ['10.0.0.3']],
    ['nothing', null, []],
  ])('with %s in its status', (_, status, addresses) => {
    expect(readAmbientPod({ metadata, status })?.addresses).toEqual(addresses)
  })

  test('has a pod in it, and what has the wrong type is absent', () => {
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
  ])('that is no pod is none: %j', (document) => {
    expect(readAmbientPod(document)).toBeUndefined()
  })
})

import { expect, test } from 'vitest'
import type { Pod } from './pod.ts'
import { podInfo } from './pod-info.ts'

type PodContainer = NonNullable<Pod['spec']['containers']>[number]

const pod = (containers: readonly PodContainer[], initContainers: readonly PodContainer[] = []) =>
  podInfo({ metadata: { namespace: 'default', name: 'web' }, spec: { containers, initContainers } })

test('container names list init containers first', () => {
  expect([...pod([{ name: 'app' }], [{ name: 'istio-proxy' }]).containers]).toEqual(['istio-proxy', 'app'])
})

test('a native sidecar in the init containers is the proxy', () => {
  const info = pod(
    [{ name: 'app' }],
    [{ name: 'istio-proxy', args: ['proxy', 'sidecar'], env: [{ name: 'A', value: '1' }] }],
  )
  expect(info).toMatchObject({ proxyType: 'sidecar', proxyEnv: { A: '1' } })
})

test('a pod without labels, annotations or host network has empty ones', () => {
  expect(pod([{ name: 'app' }])).toEqual({
    namespace: 'default',
    name: 'web',
    containers: new Set(['app']),
    labels: {},
    annotations: {},
    proxyEnv: {},
    hostNetwork: false,
  })
})

test('labels, annotations and host network are copied unchanged', () => {
  const metadata = { namespace: 'n', name: 'p', labels: { a: 'b' }, annotations: { c: 'd' } }
  expect(podInfo({ metadata, spec: { hostNetwork: true } })).toMatchObject({
    labels: { a: 'b' },
    annotations: { c: 'd' },
    hostNetwork: true,
  })
})

test('only the environment of istio-proxy is read, and the last of equal names is used', () => {
  const env = [
    { name: 'A', value: '1' },
    { name: 'A', value: '2' },
    { name: '__proto__', value: 'x' },
  ]
  const info = pod([
    { name: 'app', env: [{ name: 'B', value: '1' }] },
    { name: 'istio-proxy', env },
  ])
  expect(Object.entries(info.proxyEnv)).toEqual([
    ['A', '2'],
    ['__proto__', 'x'],
  ])
})

test('a variable that uses valueFrom is an empty string', () => {
  expect(pod([{ name: 'istio-proxy', env: [{ name: 'POD_IP' }] }]).proxyEnv).toEqual({ POD_IP: '' })
})

test.each([
  [['proxy', 'router'], 'router'],
  [['proxy'], undefined],
  [['agent', 'sidecar'], undefined],
  [[], undefined],
])('the proxy type of arguments %j is %j', (args, type) => {
  expect(pod([{ name: 'istio-proxy', args }]).proxyType).toBe(type)
})

test.each([
  [undefined, undefined, undefined],
  [{}, undefined, undefined],
  [{ runAsUser: 0 }, 0, undefined],
  [{ runAsUser: 1000, runAsGroup: 2000 }, 1000, 2000],
])('securityContext %j of the proxy gives uid %j and gid %j', (securityContext, uid, gid) => {
  const info = pod([{ name: 'istio-proxy', securityContext }])
  expect([info.proxyUID, info.proxyGID]).toEqual([uid, gid])
})

test('with two proxies the last securityContext provides both ids', () => {
  const info = pod([
    { name: 'istio-proxy', securityContext: { runAsUser: 1000, runAsGroup: 1000 } },
    { name: 'istio-proxy', securityContext: { runAsGroup: 2000 } },
    { name: 'istio-proxy' },
  ])
  expect([info.proxyUID, info.proxyGID]).toEqual([undefined, 2000])
})

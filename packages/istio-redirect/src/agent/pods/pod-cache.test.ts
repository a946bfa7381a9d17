import { statusAnnotation } from '@cni/istio-rules'
import { KubeError } from '@cni/kube'
import { expect, test } from 'vitest'
import { annotations } from '../../../../istio-rules/src/pod/annotations.ts'
import { meshPod, type PodOptions } from '../../testing/pods.ts'
import { podCache } from './pod-cache.ts'

/** Builds a pod as a watch delivers it. */
const told = (name: string, options: PodOptions = {}, uid = `uid-${name}`) => {
  const pod = meshPod({ ...options, name, namespace: 'demo' })
  return { ...pod, metadata: { ...pod.metadata, uid, resourceVersion: '1' } }
}
const wanted = (name: string) => ({ namespace: 'demo', name, uid: `uid-${name}` })

function filled(options: Parameters<typeof podCache>[0], pods: readonly unknown[]) {
  const cache = podCache(options)
  cache.observer.listing()
  for (const pod of pods) cache.observer.present(pod)
  cache.observer.listed()
  return cache
}

test('all annotations that affect redirection are kept, and no others', () => {
  const keys = [...Object.values(annotations).map(({ key }) => key), statusAnnotation, 'sidecar.istio.io/inject']
  const foreign = ['kubectl.kubernetes.io/last-applied-configuration', 'istio.io', 'notistio.io/x', 'a/istio.io/b']
  const all = Object.fromEntries([...keys, ...foreign].map((key) => [key, 'x']))
  const cache = filled({}, [told('web', { annotations: all })])
  expect(Object.keys(cache.find(wanted('web'))?.annotations ?? {}).sort()).toEqual(keys.sort())
})

test('no pod is found before the first list is complete', () => {
  const cache = podCache()
  expect(cache.problem()).toBe('the pods of the node are not listed yet')
  cache.observer.listing()
  cache.observer.present(told('web'))
  cache.observer.alive?.()
  expect(cache.find(wanted('web'))).toBeUndefined()
  cache.observer.listed()
  expect(cache.find(wanted('web'))?.name).toBe('web')
})

test('a deletion and a list without the pod remove it, and the deletion of an earlier pod does not', () => {
  const cache = filled({}, [told('a'), told('b'), told('c')])
  cache.observer.gone(told('a'))
  cache.observer.gone(told('b', {}, 'uid-earlier'))
  expect([cache.find(wanted('a')), cache.find(wanted('b'))?.name]).toEqual([undefined, 'b'])
  cache.observer.listing()
  cache.observer.present(told('c'))
  cache.observer.listed()
  expect([cache.find(wanted('b')), cache.find(wanted('c'))?.name]).toEqual([undefined, 'c'])
  expect(cache.size()).toBe(1)
})

test('a failure of the watch is a problem until the next sign of life', () => {
  const cache = filled({}, [told('web')])
  cache.observer.failed(new KubeError('NETWORK', 'GET /: cut'), 1000)
  expect([cache.problem(), cache.find(wanted('web'))]).toEqual(['GET /: cut', undefined])
  cache.observer.alive?.()
  expect([cache.problem(), cache.find(wanted('web'))?.name]).toEqual([undefined, 'web'])
})

test('above the limit, the pods with the oldest changes are dropped', () => {
  const cache = filled({ maxPods: 2 }, [told('a'), told('b'), told('a'), told('c')])
  expect(['a', 'b', 'c'].map((name) => cache.find(wanted(name))?.name)).toEqual(['a', undefined, 'c'])
})

test('large pods push out others, and a pod above the size limit is not kept', () => {
  const saying = (name: string, chars: number) =>
    told(name, { proxy: { env: [{ name: 'ISTIO_HUGE', value: 'x'.repeat(chars) }] } })
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
  const cache = filled(
    { maxChars: 40_000, maxPodChars: 5000 },
    names.map((name) => saying(name, 4800)),
  )
  expect(names.filter((name) => cache.find(wanted(name)) === undefined)).toEqual(['a'])
  cache.observer.present(saying('b', 5001))
  expect([cache.find(wanted('b')), cache.size()]).toEqual([undefined, 8])
})

test('a malformed pod is not kept, and removes the former entry', () => {
  const cache = filled({}, [told('web'), null, 7, { metadata: {} }, { metadata: { name: '../x' } }])
  expect(cache.size()).toBe(1)
  cache.observer.present({ ...told('web'), spec: { containers: 'none' } })
  expect(cache.size()).toBe(0)
})

test('only the members of a pod that affect the decision are kept', () => {
  const labels = { app: 'x', 'sidecar.istio.io/inject': 'true' }
  const env = [
    { name: 'HUGE', value: 'x'.repeat(100_000) },
    { name: 'ISTIO_DUAL_STACK', value: 'true' },
    { name: 'INVALID_DROP', value: 'true' },
    { name: 'DISABLE_ENVOY', value: 'false' },
  ]
  const cache = filled({}, [told('web', { labels, proxy: { env } })])
  expect(cache.find(wanted('web'))).toMatchObject({ labels: { 'sidecar.istio.io/inject': 'true' } })
  expect(Object.keys(cache.find(wanted('web'))?.proxyEnv ?? {})).toEqual([
    'ISTIO_DUAL_STACK',
    'INVALID_DROP',
    'DISABLE_ENVOY',
  ])
})

test('a pod that is too large for the cache is not waited for', async () => {
  const cache = filled({}, [
    told('web', { annotations: { 'istio.io/reroute-virtual-interfaces': 'x'.repeat(70_000) } }),
  ])
  expect(await cache.waitFor(wanted('web'), 60_000)).toBeUndefined()
})

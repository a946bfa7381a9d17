import { type AmbientPod, isRedirectError, podOverrides, readAmbientPod } from '@cni/istio-rules'
import { expect, test } from 'vitest'
import { slimLabels, slimPod } from './slim-pod.ts'

const podWith = (annotations: object): AmbientPod => {
  const status = { podIPs: Array.from({ length: 5000 }, (_, i) => ({ ip: `10.0.${i >> 8}.${i & 255}` })) }
  const pod = readAmbientPod({ metadata: { namespace: 'demo', name: 'web', uid: 'u', annotations }, status })
  if (pod === undefined) throw new Error('not a pod')
  return pod
}
const interfaces = (count: number) => Array.from({ length: count }, (_, i) => `i${i.toString(36)}`).join(',')
const attempt = (pod: AmbientPod): unknown => {
  try {
    return podOverrides(pod).virtualInterfaces.length
  } catch (error) {
    return error
  }
}

test('of a pod with 1 MB of annotations a few KiB are kept', () => {
  const long = 'x'.repeat(250_000)
  const pod = slimPod(
    podWith({
      'istio.io/reroute-virtual-interfaces': long,
      'sidecar.istio.io/status': long,
      'ambient.istio.io/dns-capture': long,
      'other.istio.io/x': long,
    }),
  )
  expect(JSON.stringify(pod).length).toBeLessThan(2000)
  expect(Object.hasOwn(pod.annotations, 'sidecar.istio.io/status')).toBe(true)
  expect(pod.addresses).toHaveLength(16)
})

test('a list above a bound is refused by its name, the amount and the bound; 1024 interfaces are possible', () => {
  const key = 'istio.io/reroute-virtual-interfaces'
  const refusals = [interfaces(60_000), interfaces(1025)].map((list) => attempt(slimPod(podWith({ [key]: list }))))
  for (const refused of refusals) expect(refused).toSatisfy(isRedirectError)
  expect(String(refusals[0])).toContain(`annotation ${key} of pod demo/web is "i0,i1,`)
  expect(String(refusals[0])).toContain('the list has 312011 characters, at most 32768 are possible')
  expect(String(refusals[1])).toContain('the list has 1025 entries, at most 1024 are possible')
  expect(attempt(slimPod(podWith({ [key]: interfaces(1024) })))).toBe(1024)
})

test('of labels with more than 16 Ki characters those of Istio are kept', () => {
  const few = { app: 'web', tier: 'front' }
  expect(slimLabels(few)).toBe(few)
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`label-${i}`, 'x']))
  expect(slimLabels({ ...many, app: 'web', 'istio.io/dataplane-mode': 'none' })).toEqual({
    app: 'web',
    'istio.io/dataplane-mode': 'none',
  })
})

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

test('a pod with 1 MB of annotations is reduced to a few KiB', () => {
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

test('a list above a limit is refused with its name, size and limit, and 1024 interfaces are accepted', () => {
  const key = 'istio.io/reroute-virtual-interfaces'
  const refusals = [interfaces(60_000), interfaces(1025)].map((list) => attempt(slimPod(podWith({ [key]: list }))))
  for (const refused of refusals) expect(refused).toSatisfy(isRedirectError)
  expect(String(refusals[0])).toContain(`annotation ${key} of pod demo/web is "i0,i1,`)
  expect(String(refusals[0])).toContain('the list has 312011 characters, at most 32768 are possible')
  expect(String(refusals[1])).toContain('the list has 1025 entries, at most 1024 are possible')
  expect(attempt(slimPod(podWith({ [key]: interfaces(1024) })))).toBe(1024)
})

test('only app and Istio labels are kept if all labels exceed 16 Ki characters', () => {
  const few = { app: 'web', tier: 'front' }
  expect(slimLabels(few)).toBe(few)
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`label-${i}`, 'x']))
  expect(slimLabels({ ...many, app: 'web', 'istio.io/dataplane-mode': 'none' })).toEqual({
    app: 'web',
    'istio.io/dataplane-mode': 'none',
  })
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isBroken } from '../repair/broken.ts'
import { observePod } from './observed-pod.ts'

const filter = {
  sidecarAnnotation: '',
  initContainerName: '',
  initContainerTerminationMessage: '',
  initContainerExitCode: 126,
}
const members = ['state', 'lastState', 'terminated', 'exitCode', 'name', 'ip', 'metadata', 'x']
const anything = fc.anything({ key: fc.constantFrom(...members), maxDepth: 4 })

test('any status and metadata of a pod are accepted', () => {
  const document = fc.record({
    metadata: fc.record({
      name: fc.constant('web'),
      namespace: fc.constant('demo'),
      uid: fc.constant('1'),
      resourceVersion: fc.constant('1'),
      labels: anything,
      annotations: anything,
    }),
    status: fc.oneof(
      anything,
      fc.record({
        podIP: anything,
        podIPs: fc.oneof(anything, fc.array(anything)),
        initContainerStatuses: fc.oneof(anything, fc.array(anything)),
      }),
    ),
  })
  fc.assert(
    fc.property(document, (pod) => {
      const observed = observePod(pod)
      if (observed === undefined) return false
      isBroken(observed, filter)
      return observed.podIPs.every((ip) => typeof ip === 'string')
    }),
  )
})

test('the number of addresses and containers and the length of messages are limited', () => {
  const metadata = { name: 'web', namespace: 'demo', uid: '1', resourceVersion: '1' }
  const message = 'x'.repeat(100_000)
  const initContainerStatuses = Array.from({ length: 5000 }, () => ({ name: 'a', state: { terminated: { message } } }))
  const podIPs = [{ ip: 'x'.repeat(1000) }, ...Array.from({ length: 5000 }, () => ({ ip: '10.0.0.1' }))]
  const pod = observePod({ metadata, status: { initContainerStatuses, podIPs } })
  expect([pod?.podIPs.length, pod?.initContainers.length, pod?.initContainers[0]?.terminated?.message.length]).toEqual([
    15, 256, 4096,
  ])
})

test('any other document is not a pod', () => {
  fc.assert(fc.property(fc.anything(), (document) => void observePod(document)))
  for (const odd of [{ name: '../etc' }, { namespace: 'A' }, { uid: '' }, { uid: 'a\nb' }, { resourceVersion: 7 }]) {
    const metadata = { name: 'web', namespace: 'demo', uid: '1', resourceVersion: '1', ...odd }
    expect(observePod({ metadata })).toBeUndefined()
  }
})

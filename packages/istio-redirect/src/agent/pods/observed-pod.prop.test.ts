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

test('a pod may say what it likes in its status and its metadata', () => {
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

test('anything else is no pod', () => {
  fc.assert(fc.property(fc.anything(), (document) => void observePod(document)))
  for (const odd of [{ name: '../etc' }, { namespace: 'A' }, { uid: '' }, { uid: 'a\nb' }, { resourceVersion: 7 }]) {
    const metadata = { name: 'web', namespace: 'demo', uid: '1', resourceVersion: '1', ...odd }
    expect(observePod({ metadata })).toBeUndefined()
  }
})

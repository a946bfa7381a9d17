import { expect, test } from 'vitest'
import { redirectionStatus } from '../../../../../istio-rules/src/decide/redirection-status.ts'
import { redirectionAnnotation } from './annotation.ts'
import { podStore } from './pod-store.ts'

const uid = '55efbedd-5af0-4fb0-b896-61604f0b0b53'
const pod = (resourceVersion: string, status?: string) => ({
  metadata: {
    namespace: 'shop',
    name: 'web',
    uid,
    resourceVersion,
    annotations: status === undefined ? {} : { [redirectionAnnotation]: status },
  },
})

function seen() {
  const pods = podStore({ changed: () => {}, relabelled: () => {}, malformed: () => {} })
  pods.pods.present(pod('1'))
  const status = () => {
    const known = pods.situationOf(uid)
    return known && redirectionStatus(known.pod)
  }
  return { pods, status }
}

test("the agent's own write counts until the watch delivers its version", () => {
  const { pods, status } = seen()
  pods.wrote(uid, 'enabled', '3')
  pods.pods.present(pod('2'))
  expect(status()).toBe('enabled')
  pods.pods.present(pod('3', 'enabled'))
  pods.pods.present(pod('4'))
  expect(status()).toBeUndefined()
})

test('events of the watch before the answer to the write are not older than the write', () => {
  const { pods, status } = seen()
  pods.pods.present(pod('2', 'enabled'))
  pods.pods.present(pod('3'))
  pods.wrote(uid, 'enabled', '2')
  expect(status()).toBeUndefined()
  pods.pods.present(pod('4'))
  expect(status()).toBeUndefined()
})

import { expect, onTestFinished, test, vi } from 'vitest'
import { mode, settings } from '../../../../../istio-rules/test/ambient-pods.ts'
import { EnrolmentError } from './enrolment-error.ts'
import { meshReconciler } from './mesh-reconciler.ts'
import { podStore } from './pod-store.ts'

const pod = (name: string, labels: Readonly<Record<string, string>> = { [mode]: 'ambient' }) => ({
  metadata: { namespace: 'shop', name, uid: `uid-of-${name}`, resourceVersion: '1', labels },
  status: { podIP: '10.0.0.9' },
})

/** Creates a reconciler whose enroller refuses the pods in `refused`. */
function mesh(refused: Set<string>) {
  const stop = new AbortController()
  onTestFinished(() => stop.abort(new Error('the test is over')))
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const metrics = { reconciled() {}, pods: vi.fn(), ztunnels() {}, healed() {}, healFailed() {} }
  const seen = podStore({ changed: (uid) => pods.enqueue(uid), relabelled: () => {}, malformed: () => {} })
  const pods = meshReconciler({
    seen,
    settings,
    metrics,
    log,
    signal: stop.signal,
    enroller: {
      async enrol({ name }, { addresses, reach }) {
        if (refused.has(name)) throw new EnrolmentError('IMPOSSIBLE', 'there is no namespace')
        reach({ status: 'enabled', addresses })
      },
      readdress: async () => {},
      leave: async () => {},
      annotate: async ({ uid }, status) => seen.wrote(uid, status, undefined),
      heal: async () => [],
    },
  })
  seen.namespaces.present({ metadata: { name: 'shop' } })
  return { seen, pods, metrics }
}

test('pods are counted when they join, wait, leave and are deleted, however often they are reconciled', async () => {
  const refused = new Set(['waits'])
  const { seen, pods, metrics } = mesh(refused)
  const counted = async () => {
    await pods.idle()
    const [enrolled, pending] = metrics.pods.mock.lastCall ?? []
    expect(pods.counts()).toEqual({ enrolled, pending, notCaptured: 0 })
    return [enrolled, pending]
  }
  for (const name of ['one', 'two', 'waits']) seen.pods.present(pod(name))
  seen.pods.present(pod('outside', {}))
  expect(await counted()).toEqual([2, 1])
  for (const name of ['one', 'one', 'waits']) pods.enqueue(`uid-of-${name}`)
  expect(await counted()).toEqual([2, 1])
  refused.clear()
  pods.enqueuePending()
  expect(await counted()).toEqual([3, 0])
  seen.pods.present(pod('one', { [mode]: 'none' }))
  seen.pods.gone(pod('two'))
  expect(await counted()).toEqual([1, 0])
  seen.pods.gone(pod('one'))
  seen.pods.gone(pod('waits'))
  expect(await counted()).toEqual([0, 0])
})

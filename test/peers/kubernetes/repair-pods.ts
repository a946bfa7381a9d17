import type { StoredPod } from '@cni/kube/testing'
import { printable } from '@cni/types'
import * as z from 'zod/mini'
import { meshPod } from '../../../packages/istio-redirect/src/testing/pods.ts'
import type { KubeServer } from '../../../packages/kube/test/kube-server.ts'

const ended = (exitCode: number, message = '') => ({
  terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', message },
})
const backOff = { waiting: { reason: 'CrashLoopBackOff' } }
const running = { running: { startedAt: '2026-01-01T00:00:00Z' } }

/** Status of each test pod's init container `istio-validation`, by pod name. */
const validations: Readonly<Record<string, { readonly state: object; readonly lastState?: object }>> = {
  fine: { state: ended(0) },
  'fine-in-the-end': { state: ended(0), lastState: ended(126) },
  waiting: { state: backOff, lastState: ended(126) },
  'failed-twice': { state: ended(126), lastState: ended(126) },
  'failed-otherwise': { state: ended(1), lastState: ended(126) },
  'tries-again': { state: running, lastState: ended(126) },
  'other-code': { state: backOff, lastState: ended(55) },
  'no-annotation': { state: backOff, lastState: ended(126) },
  labeled: { state: backOff, lastState: ended(126) },
}

/** Name of the pod that our repair controller repairs and Istio's does not. */
export const firstCrash = 'first-crash'

/** State of a pod after a repair controller has handled it. */
export interface PodOutcome {
  readonly label: string | undefined
  readonly deleted: boolean
}

const podSchema = z.object({
  metadata: z.object({
    labels: z.optional(z.record(z.string(), z.string())),
    deletionTimestamp: z.optional(z.string()),
  }),
})
const eventsSchema = z.object({
  items: z.array(
    z.object({
      type: z.string(),
      reason: z.string(),
      message: z.string(),
      count: z.number(),
      source: z.object({ component: z.string() }),
      reportingComponent: z.string(),
      involvedObject: z.object({ kind: z.string(), name: z.string(), apiVersion: z.string(), uid: z.string() }),
    }),
  ),
})

/** Creates a pod for each validation status, in a namespace named like the node. */
export async function repairPods({ admin }: KubeServer, node: string) {
  const signal = AbortSignal.timeout(30_000)
  const write = (method: 'POST' | 'PATCH', path: string, document: object) =>
    admin.send(
      {
        method,
        path,
        body: { type: method === 'POST' ? 'application/json' : 'application/merge-patch+json', document },
      },
      { signal },
    )
  const names = [...Object.keys(validations), firstCrash]
  const pods = `/api/v1/namespaces/${node}/pods`
  await write('POST', '/api/v1/namespaces', { metadata: { name: node } })
  for (const name of names) {
    const annotated: StoredPod = meshPod({
      name,
      namespace: node,
      ...(name === 'labeled' && { labels: { 'cni.istio.io/uninitialized': 'other' } }),
    })
    const { annotations: _, ...bare } = annotated.metadata
    const metadata = name === 'no-annotation' ? bare : annotated.metadata
    await write('POST', pods, { ...annotated, metadata, spec: { ...annotated.spec, nodeName: node } })
  }
  return {
    /** Gives each test pod the init container status that belongs to the pod's name. */
    async fail() {
      for (const name of names) {
        const { state, lastState } = validations[name] ?? { state: ended(126) }
        const status = { name: 'istio-validation', image: '', imageID: '', ready: false, restartCount: 1, state }
        await write('PATCH', `${pods}/${name}/status`, {
          status: { initContainerStatuses: [{ ...status, lastState: lastState ?? {} }] },
        })
      }
    },
    async outcomes(): Promise<Record<string, PodOutcome>> {
      const found: Record<string, PodOutcome> = {}
      for (const name of names) {
        const { metadata } = podSchema.parse(await admin.get(`${pods}/${name}`, { signal }))
        const label = metadata.labels?.['cni.istio.io/uninitialized']
        found[name] = { label, deleted: metadata.deletionTimestamp !== undefined }
      }
      return found
    },
    /** Lists the Kubernetes events about the pods, without the parts that differ between runs. */
    async events(): Promise<string[]> {
      const { items } = eventsSchema.parse(await admin.get(`/api/v1/namespaces/${node}/events`, { signal }))
      return items
        .map(({ involvedObject: { uid, ...pod }, ...event }) =>
          printable(JSON.stringify({ ...event, pod, uid: uid !== '' })),
        )
        .sort()
    },
  }
}

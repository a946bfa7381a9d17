import { printable } from '@cni/types'
import * as z from 'zod/mini'
import { meshPod } from '../../../packages/istio-redirect/src/testing/pods.ts'
import type { KubeServer } from '../../../packages/kube/test/kube-server.ts'
import { createOn, LABEL, metadataOf, setValidation } from './pods.ts'
import { create, send } from './requests.ts'

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
export async function repairPods(kube: KubeServer, node: string) {
  const names = [...Object.keys(validations), firstCrash]
  await create(kube, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: node } })
  for (const name of names) {
    const labels = name === 'labeled' ? { [LABEL]: 'other' } : {}
    const pod = meshPod({ name, namespace: node, labels })
    const { annotations: _, ...bare } = pod.metadata
    await createOn(kube, node, name === 'no-annotation' ? { ...pod, metadata: bare } : pod)
  }
  return {
    /** Gives each test pod the init container status that belongs to the pod's name. */
    async fail() {
      for (const name of names) {
        await setValidation(kube, { namespace: node, name }, validations[name] ?? { state: ended(126) })
      }
    },
    async outcomes(): Promise<Record<string, PodOutcome>> {
      const found: Record<string, PodOutcome> = {}
      for (const name of names) {
        const { labels, deletionTimestamp } = await metadataOf(kube, { namespace: node, name })
        found[name] = { label: labels?.[LABEL], deleted: deletionTimestamp !== undefined }
      }
      return found
    },
    /** Lists the Kubernetes events about the pods, without the parts that differ between runs. */
    async events(): Promise<string[]> {
      const { items } = eventsSchema.parse(await send(kube, 'GET', `/api/v1/namespaces/${node}/events`))
      return items
        .map(({ involvedObject: { uid, ...pod }, ...event }) =>
          printable(JSON.stringify({ ...event, pod, uid: uid !== '' })),
        )
        .sort()
    },
  }
}

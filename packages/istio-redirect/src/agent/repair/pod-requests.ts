import type { KubeRequest } from '../../kube/client.ts'
import { podPath } from '../../kube/pod.ts'
import type { ObservedPod } from './observed-pod.ts'

/** Deletes exactly the pod that was looked at: neither a successor of the same name nor one that has changed since. */
export const deleteRequest = (pod: ObservedPod): KubeRequest => ({
  method: 'DELETE',
  path: podPath(pod),
  body: {
    type: 'application/json',
    document: {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      preconditions: { uid: pod.uid, resourceVersion: pod.resourceVersion },
    },
  },
})

/** Labels through the status, for which less permission is needed than for the pod itself. */
export const labelRequest = (pod: ObservedPod, key: string, value: string): KubeRequest => ({
  method: 'PATCH',
  path: `${podPath(pod)}/status`,
  body: { type: 'application/merge-patch+json', document: { metadata: { labels: { [key]: value } } } },
})

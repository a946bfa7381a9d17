import type { StoredPod } from '@cni/kube/testing'

/** The pod on node `n1`, with this UID. `spec`: more members of its specification. */
export const onNode = (pod: StoredPod, uid?: string, spec: Readonly<Record<string, unknown>> = {}): StoredPod => ({
  ...pod,
  metadata: { ...pod.metadata, ...(uid !== undefined && { uid }) },
  spec: { ...pod.spec, nodeName: 'n1', ...spec },
})

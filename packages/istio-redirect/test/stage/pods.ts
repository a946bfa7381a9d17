import type { StoredPod } from '@cni/kube/testing'

/** Copies a pod onto node `n1`, with the given UID. `spec` adds members to the pod's specification. */
export const onNode = (pod: StoredPod, uid?: string, spec: Readonly<Record<string, unknown>> = {}): StoredPod => ({
  ...pod,
  metadata: { ...pod.metadata, ...(uid !== undefined && { uid }) },
  spec: { ...pod.spec, nodeName: 'n1', ...spec },
})

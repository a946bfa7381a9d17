import type { StoredPod } from '@cni/kube/testing'

/** Kubernetes pod on node `n1` with the UID. `spec` has additional members of the pod's specification. */
export const onNode = (pod: StoredPod, uid?: string, spec: Readonly<Record<string, unknown>> = {}): StoredPod => ({
  ...pod,
  metadata: { ...pod.metadata, ...(uid !== undefined && { uid }) },
  spec: { ...pod.spec, nodeName: 'n1', ...spec },
})

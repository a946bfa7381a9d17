import type { AmbientPod } from '../src/decide/ambient-pod.ts'
import type { EnrolmentSettings } from '../src/decide/enrolment.ts'

/** Label by which a pod or namespace asks for ambient mode. The value `none` excludes the pod or namespace. */
export const mode = 'istio.io/dataplane-mode'

/** Ambient-mode settings of the node, as in Istio's Helm chart. */
export const settings: EnrolmentSettings = {
  selectors: [
    { podSelector: { matchLabels: { [mode]: 'ambient' } } },
    {
      podSelector: { matchExpressions: [{ key: mode, operator: 'NotIn', values: ['none'] }] },
      namespaceSelector: { matchLabels: { [mode]: 'ambient' } },
    },
  ],
  excludeNamespaces: ['kube-system'],
  systemNamespace: 'istio-system',
}

/** Creates a running pod for tests, without labels and annotations. */
export const ambientPod = (more: Partial<AmbientPod> = {}): AmbientPod => ({
  namespace: 'shop',
  name: 'web-0',
  uid: '55efbedd-5af0-4fb0-b896-61604f0b0b53',
  serviceAccount: 'default',
  labels: {},
  annotations: {},
  hostNetwork: false,
  completed: false,
  addresses: ['10.0.0.9'],
  ...more,
})

import { type PodInfo, PROXY_CONTAINER } from '../redirect/pod-info.ts'
import { statusAnnotation } from './before-asking.ts'

/** A pod of the mesh that asks for nothing: most are redirected as it would be. There is none of this name. */
export const ordinaryPod: PodInfo = {
  namespace: 'default',
  name: 'example',
  containers: new Set(['app', PROXY_CONTAINER]),
  labels: {},
  annotations: { [statusAnnotation]: '{}' },
  proxyEnv: {},
  proxyType: 'sidecar',
  hostNetwork: false,
}

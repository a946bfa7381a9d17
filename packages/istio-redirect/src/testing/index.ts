/**
 * Test data: pods of Istio's injector, and permissions of the node agent.
 *
 * @example
 * ```ts
 * import { meshPod } from '@cni/istio-redirect/testing'
 * import { startApiServer } from '@cni/kube/testing'
 *
 * await using api = await startApiServer({ pods: [meshPod({ name: 'web', namespace: 'demo' })] })
 * api.writeKubeconfig('/run/istio-cni')
 * ```
 *
 * @module
 */

export { ambientGrants, repairGrants } from './grants.ts'
export { meshPod, type PodOptions, plainPod } from './pods.ts'

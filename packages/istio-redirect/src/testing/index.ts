/**
 * Pods as Istio's injector leaves them, what the agent's role has to allow, and an agent that answers a plugin's request.
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
export { type AgentAnswer, type AgentRequest, type NodeAgent, startNodeAgent } from './node-agent.ts'
export { meshPod, type PodOptions, plainPod } from './pods.ts'

/**
 * A Kubernetes API server for pods and namespaces, small enough to start inside a test or a demonstration.
 *
 * @example
 * ```ts
 * import { meshPod, startApiServer } from '@cni/istio-redirect/testing'
 *
 * await using api = await startApiServer({ pods: [meshPod({ name: 'web', namespace: 'demo' })] })
 * api.writeKubeconfig('/run/istio-cni')
 * ```
 *
 * @module
 */

export {
  type ApiServer,
  type ApiServerOptions,
  type DaemonSetDocument,
  type Misbehaviour,
  type SeenRequest,
  startApiServer,
} from './api-server.ts'
export {
  type Authority,
  type Certificate,
  type CertificateOptions,
  createAuthority,
  type KeyKind,
  type Validity,
} from './certificate.ts'
export { ambientGrants, type Grant, repairGrants } from './grants.ts'
export { type KubeconfigParts, kubeconfigText } from './kubeconfig-text.ts'
export { type AgentAnswer, type AgentRequest, type NodeAgent, startNodeAgent } from './node-agent.ts'
export { meshPod, type PodOptions, plainPod, type StoredContainer, type StoredPod } from './pods.ts'

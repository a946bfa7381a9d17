/**
 * Kubernetes API server for pods and namespaces, for tests and demonstrations.
 *
 * @example
 * ```ts
 * import { startApiServer } from '@cni/kube/testing'
 *
 * const pod = { metadata: { name: 'web', namespace: 'demo' }, spec: { containers: [{ name: 'app' }] } }
 * await using api = await startApiServer({ pods: [pod] })
 * api.writeKubeconfig('/run/example')
 * ```
 *
 * @module
 */

export {
  type ApiServer,
  type ApiServerOptions,
  type Misbehaviour,
  startApiServer,
} from './api-server.ts'
export {
  type Authority,
  type Certificate,
  type CertificateOptions,
  createAuthority,
} from './certificate.ts'
export type { Grant } from './grant.ts'
export { kubeconfigText } from './kubeconfig-text.ts'
export type { StoredContainer, StoredPod } from './stored-pod.ts'

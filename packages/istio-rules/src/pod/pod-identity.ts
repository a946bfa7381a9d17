/** Namespace and name of a pod, checked by {@link isPodIdentity}. */
export interface PodIdentity {
  readonly namespace: string
  readonly name: string
}

/** True if the namespace is a DNS-1123 label and the name is a DNS-1123 subdomain, as Kubernetes requires. */
export const isPodIdentity = ({ namespace, name }: PodIdentity): boolean =>
  namespace.length <= 63 && label.test(namespace) && name.length <= 253 && subdomain.test(name)

/** Returns the name of a pod for log and error messages. */
export const podRef = ({ namespace, name }: PodIdentity): string => `${namespace}/${name}`

const label = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/
const subdomain = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/

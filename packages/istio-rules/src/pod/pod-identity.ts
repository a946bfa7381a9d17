/** Which pod is meant; both parts have passed {@link isPodIdentity}. */
export interface PodIdentity {
  readonly namespace: string
  readonly name: string
}

/** Whether a namespace is a DNS-1123 label and a name a DNS-1123 subdomain: all that Kubernetes accepts. */
export const isPodIdentity = ({ namespace, name }: PodIdentity): boolean =>
  namespace.length <= 63 && label.test(namespace) && name.length <= 253 && subdomain.test(name)

const label = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/
const subdomain = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/

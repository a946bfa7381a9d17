import * as z from 'zod/mini'
import { type AskOptions, ask } from './ask.ts'
import { KubeError } from './kube-error.ts'

/** The members of a pod that decide about its traffic. */
export interface Pod {
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly labels?: Readonly<Record<string, string>> | undefined
    readonly annotations?: Readonly<Record<string, string>> | undefined
  }
  readonly spec: {
    readonly hostNetwork?: boolean | undefined
    readonly initContainers?: readonly PodContainer[] | undefined
    readonly containers?: readonly PodContainer[] | undefined
  }
}

/** The same of one of its containers. */
export interface PodContainer {
  readonly name: string
  readonly args?: readonly string[] | undefined
  readonly env?: readonly { readonly name: string; readonly value?: string | undefined }[] | undefined
  readonly securityContext?:
    | { readonly runAsUser?: number | undefined; readonly runAsGroup?: number | undefined }
    | undefined
}

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

/** Where the API server keeps a pod. */
export const podPath = ({ namespace, name }: PodIdentity): string =>
  `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`

/** Gets one pod. */
export function getPod(who: PodIdentity, options: AskOptions): Promise<Pod> {
  const what = `pod ${who.namespace}/${who.name}`
  return ask({ what, path: podPath(who), parse: (document) => parsePod(document, who) }, options)
}

const strings = z.record(z.string(), z.string())

const container = z.object({
  name: z.string(),
  args: z.optional(z.array(z.string())),
  env: z.optional(z.array(z.object({ name: z.string(), value: z.optional(z.string()) }))),
  securityContext: z.optional(z.object({ runAsUser: z.optional(z.number()), runAsGroup: z.optional(z.number()) })),
})

const podSchema = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.string(),
    labels: z.optional(strings),
    annotations: z.optional(strings),
  }),
  spec: z.object({
    hostNetwork: z.optional(z.boolean()),
    containers: z.array(container),
    initContainers: z.optional(z.array(container)),
  }),
})

/**
 * The members of a pod that decide about its traffic, from what the API server answered; one that is `null` is absent.
 * Throws `KubeError`.
 */
export function parsePod(document: unknown, expected: PodIdentity): Pod {
  const who = `${expected.namespace}/${expected.name}`
  const asItIs = podSchema.safeParse(document)
  // API servers leave out what is absent: only other sources pay for a second look.
  const parsed = asItIs.success ? asItIs : podSchema.safeParse(withoutNulls(document))
  if (!parsed.success) {
    const where = parsed.error.issues[0]?.path.map(String).join('.') || 'the document'
    throw new KubeError('BAD_ANSWER', `pod ${who}: the API server's answer is not a pod: ${where} has the wrong type`)
  }
  const { namespace, name } = parsed.data.metadata
  if (namespace !== expected.namespace || name !== expected.name) {
    throw new KubeError(
      'BAD_ANSWER',
      `pod ${who}: the API server answered with pod ${JSON.stringify(`${namespace}/${name}`)}`,
    )
  }
  return parsed.data
}

/** As deep as the schema looks: `spec.containers[0].env[0].value`. */
const maxDepth = 6

function withoutNulls(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return value
  if (Array.isArray(value)) return value.map((item: unknown) => withoutNulls(item, depth + 1))
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member, depth + 1)]))
}

import * as z from 'zod/mini'
import { KubeError } from '../kube-error.ts'

// Schemas that several members of the pod's schema share, because it takes long to create a schema.
const string = z.string()
const strings = z.optional(z.record(string, string))
const id = z.optional(z.number())

const container = z.object({
  name: string,
  args: z.optional(z.array(string)),
  env: z.optional(z.array(z.object({ name: string, value: z.optional(string) }))),
  securityContext: z.optional(z.object({ runAsUser: id, runAsGroup: id })),
})

const podSchema = z.object({
  metadata: z.object({ name: string, namespace: string, labels: strings, annotations: strings }),
  spec: z.object({
    hostNetwork: z.optional(z.boolean()),
    containers: z.array(container),
    initContainers: z.optional(z.array(container)),
  }),
})

/** Pod with only those members that {@link parsePod} keeps. */
export interface Pod {
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly labels?: Readonly<Record<string, string>> | undefined
    readonly annotations?: Readonly<Record<string, string>> | undefined
  }
  readonly spec: {
    readonly hostNetwork?: boolean | undefined
    readonly containers: readonly {
      readonly name: string
      readonly args?: readonly string[] | undefined
      readonly env?: readonly { readonly name: string; readonly value?: string | undefined }[] | undefined
      readonly securityContext?:
        | { readonly runAsUser?: number | undefined; readonly runAsGroup?: number | undefined }
        | undefined
    }[]
    readonly initContainers?: Pod['spec']['containers'] | undefined
  }
}

/**
 * Parses the members of a pod that affect the redirection of its traffic. A `null` member counts as missing. Throws
 * `KubeError`.
 */
export function parsePod(document: unknown, expected: { readonly namespace: string; readonly name: string }): Pod {
  const who = `${expected.namespace}/${expected.name}`
  const asItIs = podSchema.safeParse(document)
  // Parses the pod unchanged first, because API servers normally send no `null` members.
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

/**
 * Depth to which `null` members are removed from a pod. The deepest member that the schema reads is
 * `spec.containers[0].env[0].value`.
 */
const maxDepth = 6

function withoutNulls(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return value
  if (Array.isArray(value)) return value.map((item: unknown) => withoutNulls(item, depth + 1))
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member, depth + 1)]))
}

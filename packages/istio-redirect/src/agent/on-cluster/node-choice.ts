import { type Labels, selects } from '@cni/istio-rules'
import * as z from 'zod/mini'

const labels = z.record(z.string(), z.string())
const term = z.object({
  matchExpressions: z.nullish(
    z.array(z.object({ key: z.string(), operator: z.string(), values: z.nullish(z.array(z.string())) })),
  ),
  matchFields: z.nullish(
    z.array(z.object({ key: z.string(), operator: z.string(), values: z.nullish(z.array(z.string())) })),
  ),
})

/** The members of a pod's specification that choose its node. */
export const nodeChoiceSchema = z.object({
  nodeSelector: z.nullish(labels),
  affinity: z.nullish(
    z.object({
      nodeAffinity: z.nullish(
        z.object({
          requiredDuringSchedulingIgnoredDuringExecution: z.nullish(z.object({ nodeSelectorTerms: z.array(term) })),
        }),
      ),
    }),
  ),
})

/** How a pod's specification chooses its node. */
export type NodeChoice = z.infer<typeof nodeChoiceSchema>

/** Whether the labels of a node matter: an agent knows without them that it runs on Linux. */
export function needsLabels({ nodeSelector, affinity }: NodeChoice): boolean {
  const { [OS]: os = 'linux', ...others } = nodeSelector ?? {}
  return os !== 'linux' || Object.keys(others).length > 0 || terms(affinity) !== undefined
}

/**
 * Whether a node is among those a specification chooses, as the scheduler decides it.
 *
 * @throws `Error` for an operator that Kubernetes does not have.
 */
export function choosesNode({ nodeSelector, affinity }: NodeChoice, node: { name: string; labels: Labels }): boolean {
  if (!selects({ matchLabels: nodeSelector }, node.labels)) return false
  const any = terms(affinity)
  return any === undefined || any.some((one) => satisfies(one, node))
}

const OS = 'kubernetes.io/os'

const terms = (affinity: NodeChoice['affinity']): readonly Term[] | undefined =>
  affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms

type Term = z.infer<typeof term>
type Requirement = NonNullable<NonNullable<Term['matchExpressions']>[number]>

/** All conditions of a term; one without any chooses nothing. */
function satisfies({ matchExpressions, matchFields }: Term, node: { name: string; labels: Labels }): boolean {
  const expressions = matchExpressions ?? []
  const fields = matchFields ?? []
  return (
    expressions.length + fields.length > 0 &&
    expressions.every((one) => holds(one, node.labels)) &&
    fields.every((one) => holds(one, { 'metadata.name': node.name }))
  )
}

function holds({ key, operator, values }: Requirement, labels: Labels): boolean {
  switch (operator) {
    case 'In':
    case 'NotIn':
    case 'Exists':
    case 'DoesNotExist':
      return selects({ matchExpressions: [{ key, operator, values }] }, labels)
    case 'Gt':
    case 'Lt': {
      const has = Object.hasOwn(labels, key) ? Number(labels[key]) : Number.NaN
      const bound = Number(values?.[0])
      return operator === 'Gt' ? has > bound : has < bound
    }
    default:
      throw new Error(`${JSON.stringify(operator)} is not an operator of node affinity`)
  }
}

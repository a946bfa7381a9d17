import { type Labels, selects } from '@cni/istio-rules'
import * as z from 'zod/mini'

const labels = z.record(z.string(), z.string())
const requirement = z.object({ key: z.string(), operator: z.string(), values: z.nullish(z.array(z.string())) })
const requirements = z.nullish(z.array(requirement))
const term = z.object({ matchExpressions: requirements, matchFields: requirements })

/** Schema of a pod specification's members that select the pod's node. */
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

/** Node selection of a pod specification: node name, node selector and affinity. */
export type NodeChoice = z.infer<typeof nodeChoiceSchema>

/** True if a pod specification selects nodes by labels other than `kubernetes.io/os: linux`. */
export function needsLabels({ nodeSelector, affinity }: NodeChoice): boolean {
  const { [OS]: os = 'linux', ...others } = nodeSelector ?? {}
  return os !== 'linux' || Object.keys(others).length > 0 || terms(affinity) !== undefined
}

/**
 * True if the pod specification permits the node, by the scheduler's rules.
 *
 * @throws `Error` for an unknown operator.
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
type Requirement = z.infer<typeof requirement>

/** True if the node meets one term of a pod's node affinity. */
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

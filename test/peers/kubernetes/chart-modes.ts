import { isObject } from '@cni/types'
import { type Manifest, rendered } from '../../../packages/istio-redirect/test/chart/manifest.ts'

/** Values of our chart for each test mode: without repair, each kind of repair, and ambient. */
export const modes = {
  'no repair': { repair: { enabled: false } },
  'repair in place': {},
  'repair by deletion': { repair: { repairPods: false, deletePods: true } },
  'repair by label': { repair: { repairPods: false, labelPods: true } },
  ambient: { profile: 'ambient', repair: { enabled: false } },
  'ambient redirected on the node': {
    ambient: { enabled: true, redirectMode: 'node-iptables' },
    repair: { enabled: false },
  },
  'nodes chosen by labels': { nodeSelector: { mesh: 'yes' }, repair: { enabled: false } },
} as const

export type Mode = keyof typeof modes

/** Renders the Kubernetes objects of our chart for a test mode. */
export const chartIn = (mode: Mode): Manifest[] => rendered({ image: 'h/install-cni:1', ...modes[mode] })

/** Service accounts of our chart: the agent's, and the plugin's, whose token the agent writes on the node. */
type Account = 'istio-cni' | 'istio-cni-plugin'

/** Permission of a service account: a verb on a resource. */
export interface AccountRight {
  readonly account: Account
  readonly verb: string
  readonly resource: string
}

/** Lists the permissions that the chart grants an account, in one or all namespaces, without duplicates. */
export function rightsOf(objects: readonly Manifest[], account: Account): AccountRight[] {
  const found = rolesOf(objects, account).flatMap(({ rules }) =>
    rulesOf(rules).flatMap(({ verbs, resources }) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
    ),
  )
  return [...new Set(found)].sort().map((text) => {
    const [verb = '', resource = ''] = text.split(' ')
    return { account, verb, resource }
  })
}

/** Returns a copy of the chart's objects that lacks one permission of a service account. */
export function without(objects: readonly Manifest[], { account, verb, resource }: AccountRight): Manifest[] {
  const roles = rolesOf(objects, account)
  return objects.map((object) => {
    if (!roles.includes(object)) return object
    const rules = rulesOf(object.rules)
      .map((rule) =>
        rule.resources.includes(resource) ? { ...rule, verbs: rule.verbs.filter((one) => one !== verb) } : rule,
      )
      .filter(({ verbs }) => verbs.length > 0)
    return { ...object, rules }
  })
}

// internal

interface Rule {
  readonly verbs: readonly string[]
  readonly resources: readonly string[]
}

function rolesOf(objects: readonly Manifest[], account: Account): Manifest[] {
  const names = objects
    .filter(({ subjects }) => Array.isArray(subjects) && subjects.some((one) => isObject(one) && one.name === account))
    .map(({ roleRef }) => (isObject(roleRef) ? `${roleRef.kind}/${roleRef.name}` : ''))
  return objects.filter(({ kind, metadata }) => names.includes(`${kind}/${metadata.name}`))
}

const rulesOf = (rules: unknown): Rule[] => (Array.isArray(rules) ? rules : [])

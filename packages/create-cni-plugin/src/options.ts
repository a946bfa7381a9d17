/** What a project is made of. */
export interface ProjectOptions {
  /** Of the plugin: its executable, the `type` in configurations, the folder. */
  readonly name: string
  /** `chained`: behind the network's own plugins; `main`: makes the pod's interface; `thick`: chained, with a daemon; `ipam`: gives addresses to main plugins. */
  readonly kind: 'chained' | 'main' | 'thick' | 'ipam'
  /** Kind of rules or routes in a pod. `undefined` for `ipam`: an IPAM plugin writes nothing into a pod. */
  readonly rules: 'iptables' | 'nftables' | 'routes' | undefined
  /** True to add an agent that keeps the plugin installed on nodes. False for `ipam`: no list has an entry for it. */
  readonly agent: boolean
}

/** What a plugin is to its network. */
export type Kind = ProjectOptions['kind']
/** Means with which the plugin changes a pod. */
export type Rules = NonNullable<ProjectOptions['rules']>

export const KINDS = ['chained', 'main', 'thick', 'ipam'] as const satisfies readonly Kind[]
export const RULES = ['iptables', 'nftables', 'routes'] as const satisfies readonly Rules[]

/** Problem of choices that do not go together, as a sentence; `undefined`: none. */
export function choicesProblem({
  kind,
  rules,
  agent,
}: { readonly [K in keyof ProjectOptions]?: ProjectOptions[K] | undefined }) {
  if (kind !== 'ipam') return undefined
  if (rules !== undefined) return `rules: an IPAM plugin writes nothing into a pod, leave ${JSON.stringify(rules)} out`
  if (agent === true) return 'agent: an IPAM plugin is no entry of a list that an agent could keep, leave it out'
  return undefined
}

/** A plugin that works behind others. */
export const isChained = (kind: Kind): boolean => kind === 'chained' || kind === 'thick'

/**
 * What is wrong with a plugin's name, as a sentence; `undefined`: nothing. It becomes a file, a package, a `type`, a table and
 * the beginning of chains, which have 28 characters at most.
 */
export function nameProblem(name: string): string | undefined {
  if (/^[a-z][a-z0-9-]{0,19}$/.test(name) && !name.endsWith('-')) return undefined
  const rule = 'expected 1 to 20 of a-z, 0-9 and -, a letter first and no - at the end'
  return `name: ${rule}, got ${JSON.stringify(name)}`
}

/** `my-plugin` as the beginning of chains: `MY_PLUGIN`. */
export const chainPrefix = (name: string): string => name.toUpperCase().replaceAll('-', '_')

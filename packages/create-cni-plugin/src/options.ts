/** Options of a new project that `npm create cni-plugin` creates. */
export interface ProjectOptions {
  /** Name of the new plugin. The plugin's executable, its folder and the `type` in configurations have this name. */
  readonly name: string
  /**
   * Kind of the new plugin:
   * - `chained`: runs after the plugins of a network.
   * - `main`: creates the pod's interface.
   * - `thick`: chained plugin with a daemon.
   * - `ipam`: gives addresses to main plugins.
   */
  readonly kind: 'chained' | 'main' | 'thick' | 'ipam'
  /** Mechanism with which the new plugin changes a pod. `undefined` for `ipam`: an IPAM plugin does not change pods. */
  readonly rules: 'iptables' | 'nftables' | 'routes' | undefined
  /**
   * True to add an agent that keeps the plugin installed on nodes. False for `ipam`: an IPAM plugin is not in a plugin
   * list.
   */
  readonly agent: boolean
}

/** Kind of a new plugin, such as `chained` or `main`. */
export type Kind = ProjectOptions['kind']
/** Mechanism with which a new plugin changes a pod, such as `iptables`. */
export type Rules = NonNullable<ProjectOptions['rules']>

export const KINDS = ['chained', 'main', 'thick', 'ipam'] as const satisfies readonly Kind[]
export const RULES = ['iptables', 'nftables', 'routes'] as const satisfies readonly Rules[]

/** Explains why options of a new project are incompatible, as a sentence. `undefined` if they are compatible. */
export function choicesProblem({
  kind,
  rules,
  agent,
}: { readonly [K in keyof ProjectOptions]?: ProjectOptions[K] | undefined }) {
  if (kind !== 'ipam') return undefined
  if (rules !== undefined) return `rules: an IPAM plugin writes nothing into a pod, leave ${JSON.stringify(rules)} out`
  if (agent === true) return 'agent: an IPAM plugin has no entry in a list that an agent could maintain, leave it out'
  return undefined
}

/** True for a kind of plugin that runs after other plugins of a network, such as `chained`. */
export const isChained = (kind: Kind): boolean => kind === 'chained' || kind === 'thick'

/** Explains why a plugin's name is invalid. The names of the plugin's iptables chains begin with this name. */
export function nameProblem(name: string): string | undefined {
  if (/^[a-z][a-z0-9-]{0,19}$/.test(name) && !name.endsWith('-')) return undefined
  const rule = 'expected 1 to 20 of a-z, 0-9 and -, a letter first and no - at the end'
  return `name: ${rule}, got ${JSON.stringify(name)}`
}

/** Prefix of the names of a plugin's chains: `MY_PLUGIN` for `my-plugin`. */
export const chainPrefix = (name: string): string => name.toUpperCase().replaceAll('-', '_')

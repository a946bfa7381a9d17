import { type Conflist, goStringify, type PluginConf, type ValidAttachment } from '@cni/types'

/** Verb for a plugin, and the data that the runtime adds to its configuration. */
export type Derivation =
  | {
      readonly command: 'ADD' | 'CHECK' | 'DEL'
      /** Result of the previous plugin (ADD) or of the whole chain (CHECK, DEL). Passed unchanged. */
      readonly prevResult?: unknown
      /** Values that the runtime offers. A plugin gets those that it declares in `capabilities`. */
      readonly capabilityArgs?: Readonly<Record<string, unknown>> | undefined
    }
  | { readonly command: 'GC'; readonly validAttachments?: readonly ValidAttachment[] | undefined }
  | { readonly command: 'STATUS' }

/**
 * Derives the configuration for a plugin's stdin from the list and the runtime's data.
 * Pure: changes no argument. Unknown members are kept.
 *
 * @example
 * ```ts
 * deriveConf(conflist, conflist.plugins[1], { command: 'ADD', prevResult, capabilityArgs: { mac: '02:…' } })
 * // { ...the plugin's own members, name, cniVersion, prevResult, runtimeConfig: { mac } }
 * ```
 */
export function deriveConf(
  list: Pick<Conflist, 'name' | 'cniVersion'>,
  plugin: PluginConf,
  derivation: Derivation,
): Readonly<Record<string, unknown>> {
  const common = { ...plugin, name: list.name, cniVersion: list.cniVersion ?? '' }
  switch (derivation.command) {
    case 'ADD':
    case 'CHECK':
    case 'DEL': {
      const { prevResult, capabilityArgs = {} } = derivation
      const runtimeConfig = declared(plugin, capabilityArgs)
      return {
        ...common,
        ...(prevResult === undefined || prevResult === null ? {} : { prevResult }),
        ...(runtimeConfig === undefined ? {} : { runtimeConfig }),
      }
    }
    case 'GC': {
      const { validAttachments: valid } = derivation
      // The second key is the earlier name, which older plugins read (containernetworking/cni#1101).
      return valid === undefined
        ? common
        : { ...common, 'cni.dev/valid-attachments': valid, 'cni.dev/attachments': valid }
    }
    case 'STATUS':
      return common
  }
}

/** Encodes a derived configuration: one line, sorted keys, Go's escapes. */
export function encodeConf(conf: Readonly<Record<string, unknown>>): string {
  return goStringify(conf, { sortKeys: true })
}

/** Capabilities that a plugin declares as true. */
export function capabilitiesOf(plugin: PluginConf): string[] {
  const flags = Object.entries(plugin.capabilities ?? {})
  return flags.filter(([, declared]) => declared === true).map(([name]) => name)
}

function declared(
  plugin: PluginConf,
  capabilityArgs: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  const offered = capabilitiesOf(plugin).filter((name) => Object.hasOwn(capabilityArgs, name))
  if (offered.length === 0) return undefined
  return Object.fromEntries(offered.map((name) => [name, capabilityArgs[name]]))
}

import { type Conflist, goStringify, type PluginConf, type ValidAttachment } from '@cni/types'

/** Verb for which a plugin's configuration is derived, and data that the runtime adds to the configuration. */
export type Derivation =
  | {
      readonly command: 'ADD' | 'CHECK' | 'DEL'
      /** Result of the previous plugin for ADD, of the whole chain for CHECK and DEL. */
      readonly prevResult?: unknown
      /**
       * Map from a capability to the value that the runtime offers. A plugin gets only the values of capabilities that
       * it declares in `capabilities`.
       */
      readonly capabilityArgs?: Readonly<Record<string, unknown>> | undefined
    }
  | { readonly command: 'GC'; readonly validAttachments?: readonly ValidAttachment[] | undefined }
  | { readonly command: 'STATUS' }

/**
 * Derives the configuration that a plugin gets on stdin. Keeps members that are unknown to CNI.
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
      // Adds the valid attachments under two keys, because older plugins read only the second key
      // (containernetworking/cni#1101).
      return valid === undefined
        ? common
        : { ...common, 'cni.dev/valid-attachments': valid, 'cni.dev/attachments': valid }
    }
    case 'STATUS':
      return common
  }
}

/** Encodes a plugin's configuration as Go does: one line, sorted keys, Go's escapes. */
export function encodeConf(conf: Readonly<Record<string, unknown>>): string {
  return goStringify(conf, { sortKeys: true })
}

/** Capabilities that a plugin's configuration sets to true. */
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

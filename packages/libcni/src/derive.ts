import { type Conflist, goStringify, type PluginConf, type ValidAttachment } from '@cni/types'

/** What a plugin of a list is asked, and what the runtime adds to its configuration for it. */
export type Derivation =
  | {
      readonly command: 'ADD' | 'CHECK' | 'DEL'
      /** The result of the plugin before it (ADD) or of the whole chain (CHECK, DEL); passed on as it is. */
      readonly prevResult?: unknown
      /** What the runtime offers; a plugin gets what it declares in `capabilities`. */
      readonly capabilityArgs?: Readonly<Record<string, unknown>> | undefined
    }
  | { readonly command: 'GC'; readonly validAttachments?: readonly ValidAttachment[] | undefined }
  | { readonly command: 'STATUS' }

/**
 * The configuration a plugin of a list receives on stdin, from the list and what the runtime adds. Pure: nothing is
 * changed, members nobody mentions are kept.
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
      // The second key is the historical spelling, which older plugins read (containernetworking/cni#1101).
      return valid === undefined
        ? common
        : { ...common, 'cni.dev/valid-attachments': valid, 'cni.dev/attachments': valid }
    }
    case 'STATUS':
      return common
  }
}

/** The text of a derived configuration: one line, sorted keys, Go's escapes. */
export function encodeConf(conf: Readonly<Record<string, unknown>>): string {
  return goStringify(conf, { sortKeys: true })
}

/** The names of the capabilities a plugin declares as true. */
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

import { quote } from '@cni/types'
import { goBool } from '../pod/go-bool.ts'
import type { PodIdentity } from '../pod/pod-identity.ts'
import { virtualInterfaces } from '../pod/virtual-interfaces.ts'

export const bypassKey = 'ambient.istio.io/bypass-inbound-capture'
export const dnsKey = 'ambient.istio.io/dns-capture'

/**
 * Reads the overrides in a pod's annotations. An invalid boolean is ignored, with a warning.
 *
 * @throws `RedirectError` for an invalid interface name. Ignoring the name would let traffic bypass the mesh.
 */
export function podOverrides(
  pod: PodIdentity & {
    readonly annotations: Readonly<Record<string, string>>
    /** Annotations that are longer than the part that is kept: their length in characters. */
    readonly tooLong?: Readonly<Record<string, number>> | undefined
  },
): {
  /** True if inbound connections bypass the mesh. Outbound connections are still captured. */
  readonly bypassInbound: boolean
  /** True to capture DNS queries. `undefined` means the setting of the node. */
  readonly dnsCapture: boolean | undefined
  /** Interfaces of virtual machines: their packets are treated as outbound traffic. Without duplicates, in order. */
  readonly virtualInterfaces: readonly string[]
  /** Warnings about ignored annotations, for the log. */
  readonly warnings: readonly string[]
} {
  const { annotations } = pod
  const warnings: string[] = []
  const truth = (key: string): boolean | undefined => {
    const value = Object.hasOwn(annotations, key) ? annotations[key] : undefined
    if (value === undefined) return undefined
    const parsed = goBool(value)
    if (parsed === undefined) {
      warnings.push(`annotation ${key}: ${quote(value)} is ignored: expected true or false`)
    }
    return parsed
  }
  return {
    bypassInbound: truth(bypassKey) ?? false,
    dnsCapture: truth(dnsKey),
    virtualInterfaces: virtualInterfaces(pod),
    warnings,
  }
}

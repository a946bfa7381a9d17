import { quote } from '@cni/types'
import { goBool } from '../pod/go-bool.ts'
import type { PodIdentity } from '../pod/pod-identity.ts'
import { virtualInterfaces } from '../pod/virtual-interfaces.ts'

export const bypassKey = 'ambient.istio.io/bypass-inbound-capture'
export const dnsKey = 'ambient.istio.io/dns-capture'

/**
 * Reads the annotations that override the node's settings for ambient mode. Ignores an invalid boolean and adds a
 * warning to `warnings`.
 *
 * @throws `RedirectError` for an invalid interface name, because traffic of an ignored interface would bypass the mesh.
 */
export function podOverrides(
  pod: PodIdentity & {
    readonly annotations: Readonly<Record<string, string>>
    /** Original length in characters of each annotation value that the agent has cut, by annotation key. */
    readonly tooLong?: Readonly<Record<string, number>> | undefined
  },
): {
  /** True if inbound connections bypass the mesh. Outbound connections are still captured. */
  readonly bypassInbound: boolean
  /** True to capture the pod's DNS queries. `undefined` means that the node's setting applies. */
  readonly dnsCapture: boolean | undefined
  /**
   * Interfaces of virtual machines in the pod, in the annotation's order. Packets from these interfaces are treated as
   * outbound traffic.
   */
  readonly virtualInterfaces: readonly string[]
  /** Warnings for the log, about ignored annotations of the pod. */
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

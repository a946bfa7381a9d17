import { quote } from '@cni/types'
import { goBool } from '../pod/go-bool.ts'
import type { PodIdentity } from '../pod/pod-identity.ts'
import { virtualInterfaces } from '../pod/virtual-interfaces.ts'

export const bypassKey = 'ambient.istio.io/bypass-inbound-capture'
export const dnsKey = 'ambient.istio.io/dns-capture'

/**
 * Reads the overrides of a pod's annotations. What is no truth value counts as not given, and is warned of.
 *
 * @throws `RedirectError` for what cannot be the name of an interface: to capture less than the pod asked for would be to
 * let traffic out of the mesh.
 */
export function podOverrides(
  pod: PodIdentity & {
    readonly annotations: Readonly<Record<string, string>>
    /** Annotations that say more than is kept: their length in characters. */
    readonly tooLong?: Readonly<Record<string, number>> | undefined
  },
): {
  /** Inbound connections are left alone, outbound ones are captured all the same. */
  readonly bypassInbound: boolean
  /** `undefined`: as on the whole node. */
  readonly dnsCapture: boolean | undefined
  /** Interfaces behind which virtual machines are: what comes from there is outbound traffic. Each once, in order. */
  readonly virtualInterfaces: readonly string[]
  /** Sentences for the log, about annotations that count as not given. */
  readonly warnings: readonly string[]
} {
  const { annotations } = pod
  const warnings: string[] = []
  const truth = (key: string): boolean | undefined => {
    const value = Object.hasOwn(annotations, key) ? annotations[key] : undefined
    if (value === undefined) return undefined
    const parsed = goBool(value)
    if (parsed === undefined) {
      warnings.push(`annotation ${key}: ${quote(value)} counts as not given: expected true or false`)
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

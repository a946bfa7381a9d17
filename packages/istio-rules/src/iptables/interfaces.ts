import type { Rule } from '@cni/iptables'
import type { CaptureConfig } from '../capture/config.ts'
import type { Tables } from './chains.ts'

/** Traffic through an excluded interface is left alone, in both directions. */
export function excludedInterfaces(t: Tables, { excludeInterfaces, interceptionMode }: CaptureConfig): readonly Rule[] {
  const tables = interceptionMode === 'TPROXY' ? [t.nat, t.mangle] : [t.nat]
  return tables.flatMap((table) =>
    excludeInterfaces.flatMap((name) => [
      table.on('PREROUTING').in(name).return(),
      table.on('OUTPUT').out(name).return(),
    ]),
  )
}

/**
 * Traffic from a virtual machine behind an interface is outbound, not inbound. Inserted at 1, so these come before what
 * earlier rules appended and after what {@link virtualOutbound} inserts later.
 */
export function virtualInterfaces(t: Tables, { rerouteVirtualInterfaces }: CaptureConfig): readonly Rule[] {
  return rerouteVirtualInterfaces.map((name) => t.nat.insert('PREROUTING', 1).in(name).return())
}

/** The outbound traffic of virtual machines that goes to the proxy, as that of the pod's own processes does. */
export function virtualOutbound(t: Tables, { rerouteVirtualInterfaces }: CaptureConfig): readonly Rule[] {
  return rerouteVirtualInterfaces.map((name) => t.nat.insert('PREROUTING', 1).in(name).jump('ISTIO_REDIRECT'))
}

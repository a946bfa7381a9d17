import type { Rule } from '@cni/iptables'
import type { CaptureConfig } from '../capture/config.ts'
import type { Tables } from './chains.ts'

/** Excludes the traffic of the interfaces in `excludeInterfaces` from capture, in both directions. */
export function excludedInterfaces(t: Tables, { excludeInterfaces, interceptionMode }: CaptureConfig): readonly Rule[] {
  const tables = interceptionMode === 'TPROXY' ? [t.nat, t.mangle] : [t.nat]
  return tables.flatMap((table) =>
    excludeInterfaces.flatMap((name) => [
      table.on('PREROUTING').in(name).return(),
      table.on('OUTPUT').out(name).return(),
    ]),
  )
}

/** Excludes traffic of virtual machines from inbound capture, because the traffic is outbound. */
export function virtualInterfaces(t: Tables, { rerouteVirtualInterfaces }: CaptureConfig): readonly Rule[] {
  return rerouteVirtualInterfaces.map((name) => t.nat.insert('PREROUTING', 1).in(name).return())
}

/** Redirects outbound traffic of virtual machines to the proxy, like traffic of the pod's own processes. */
export function virtualOutbound(t: Tables, { rerouteVirtualInterfaces }: CaptureConfig): readonly Rule[] {
  return rerouteVirtualInterfaces.map((name) => t.nat.insert('PREROUTING', 1).in(name).jump('ISTIO_REDIRECT'))
}

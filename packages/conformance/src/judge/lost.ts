import type { Interface, Result } from '@cni/types'
import { type Kernel, MAIN_TABLE } from '../world/kernel.ts'

/** An item of `prevResult` that is missing in the plugin's result: an interface, address, route or DNS member. */
export interface Lost {
  readonly what: string
  /** True if the plugin removed the item from the namespace and rightly omits it. */
  readonly removed: boolean
}

/** Items of `prevResult` that the plugin's result lacks. A plugin must keep existing items. */
export function lostFrom(
  before: Result,
  after: Result,
  kernel: { readonly pod: Kernel; readonly node: Kernel },
): Lost[] {
  const nameOf = (result: Result, index: number | undefined) =>
    index === undefined || index < 0 ? undefined : result.interfaces?.[index]?.name
  const same = (one: Interface) => (other: Interface) => other.name === one.name && other.sandbox === one.sandbox
  const interfaces = (before.interfaces ?? [])
    .filter((each) => !after.interfaces?.some(same(each)))
    .map(({ name, sandbox }) => {
      const place = sandbox === undefined ? kernel.node : kernel.pod
      return { what: `interface ${name}`, removed: place.link(name) === undefined }
    })
  const ips = (before.ips ?? [])
    .filter(
      ({ address, gateway, interface: index }) =>
        !after.ips?.some(
          (other) =>
            other.address === address &&
            (other.gateway ?? '') === (gateway ?? '') &&
            nameOf(after, other.interface) === nameOf(before, index),
        ),
    )
    .map(({ address }) => {
      return { what: `address ${address} with its gateway and interface`, removed: !kernel.pod.hasAddress(address) }
    })
  const routes = (before.routes ?? [])
    .filter(({ dst, gw }) => !after.routes?.some((other) => other.dst === dst && (other.gw ?? '') === (gw ?? '')))
    .map((route) => ({ what: `route to ${route.dst}`, removed: !kernel.pod.hasRoute(route, MAIN_TABLE) }))
  const dns = (['nameservers', 'search'] as const)
    .filter((member) => before.dns?.[member]?.some((value) => !after.dns?.[member]?.includes(value)))
    .map((member) => ({ what: `dns.${member}`, removed: false }))
  return [...interfaces, ...ips, ...routes, ...dns]
}

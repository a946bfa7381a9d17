import type { Conflist, PluginConf } from '@cni/types'

/** Kind of the test network's plugin chain: interface plugin and address families. */
export interface ChainKind {
  readonly first: 'bridge' | 'ptp'
  readonly families: 'IPv4' | 'dual stack'
}

/** Subnets and gateways of the test node's pods. */
export interface Subnets {
  readonly ipv4: string
  readonly ipv6: string
  readonly gateway: { readonly ipv4: string; readonly ipv6: string }
}

export const SUBNETS: Subnets = {
  ipv4: '10.233.0.0/24',
  ipv6: 'fd00:10:233::/64',
  gateway: { ipv4: '10.233.0.1', ipv6: 'fd00:10:233::1' },
}

export const NETWORK = 'pods'

/** Builds an ordinary node's conflist: a plugin for interface and addresses, then portmap, then our plugin. */
export function conflistOf({ first, families }: ChainKind, ipamDir: string, ours: readonly PluginConf[]): Conflist {
  const both = families === 'dual stack'
  const ipam = {
    type: 'host-local',
    dataDir: ipamDir,
    ranges: [[{ subnet: SUBNETS.ipv4 }], ...(both ? [[{ subnet: SUBNETS.ipv6 }]] : [])],
    routes: [{ dst: '0.0.0.0/0' }, ...(both ? [{ dst: '::/0' }] : [])],
  }
  const interfaces =
    first === 'bridge'
      ? { type: 'bridge', bridge: 'pods0', isGateway: true, hairpinMode: true, ipam }
      : { type: 'ptp', ipam }
  return {
    cniVersion: '1.0.0',
    name: NETWORK,
    plugins: [interfaces, { type: 'portmap', capabilities: { portMappings: true }, snat: true }, ...ours],
  }
}

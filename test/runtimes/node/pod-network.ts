import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Conflist, PluginConf } from '@cni/types'
import { isLease, namesIn, REFERENCE_PLUGINS } from '../../../packages/istio-redirect/src/testing/node/node.ts'

/** Kind of the test network's plugin chain: interface plugin and address families. */
export interface ChainKind {
  readonly first: 'bridge' | 'ptp'
  readonly families: 'IPv4' | 'dual stack'
}

/** Subnets and gateways of the test node's pods. */
export const SUBNETS = {
  ipv4: '10.233.0.0/24',
  ipv6: 'fd00:10:233::/64',
  gateway: { ipv4: '10.233.0.1', ipv6: 'fd00:10:233::1' },
}

export const NETWORK = 'pods'

/**
 * Creates the network of a test node's pods in the node's folders `bin`, `net` and `ipam`. Copies Debian's plugins.
 *
 * @param path - returns the path of a file below the test node's folder
 */
export function podNetwork(path: (...parts: string[]) => string) {
  const ipam = path('ipam')
  for (const name of ['loopback', 'bridge', 'ptp', 'host-local', 'portmap']) {
    copyFileSync(join(REFERENCE_PLUGINS, name), path('bin', name))
  }
  return {
    /** Overwrites the network configuration in place, because container runtimes notice this change. */
    use(kind: ChainKind, ours: readonly PluginConf[]): Conflist {
      const conflist = conflistOf(kind, ipam, ours)
      writeFileSync(path('net/10-pods.conflist'), `${JSON.stringify(conflist, null, 2)}\n`)
      return conflist
    },
    /** Lists the pod addresses that the IPAM plugin host-local has assigned. */
    leases: () => namesIn(ipam).flatMap((network) => namesIn(join(ipam, network)).filter(isLease)),
    /** Lists the names of the attachment records that our plugin has written. */
    stateFiles: () => namesIn(path('run/attachments')),
  }
}

/** Builds an ordinary node's conflist: a plugin for interface and addresses, then portmap, then our plugin. */
function conflistOf({ first, families }: ChainKind, ipamDir: string, ours: readonly PluginConf[]): Conflist {
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

import { createHash } from 'node:crypto'
import { iptables, ruleset } from '@cni/iptables'
import type { NetnsTarget } from '@cni/netns'
import { definePlugin, netConf } from '@cni/skel'
import { CniError, ErrorCode, type Result } from '@cni/types'
import * as z from 'zod/mini'

const port = z.int().check(z.gte(1), z.lte(65535))
const mapping = z.object({ hostPort: port, containerPort: port, protocol: z._default(z.enum(['tcp', 'udp']), 'tcp') })
const chainOf = (id: string): string => `PM-${createHash('sha256').update(id).digest('hex').slice(0, 20)}`

/** What comes to a port of the node goes to a port of the pod, over IPv4. */
const rules = (containerID: string, mappings: readonly z.infer<typeof mapping>[], { ips = [] }: Result) => {
  const chain = chainOf(containerID)
  const pod = ips.map(({ address }) => address.split('/')[0] ?? '').find((address) => address.includes('.'))
  if (pod === undefined)
    throw new CniError(ErrorCode.invalidNetworkConfig, 'the pod has no IPv4 address to map ports to')
  return ruleset({ nat: [chain] }, ({ nat }) => [
    nat.on('PREROUTING').only('ipv4').dstType('LOCAL').jump(chain),
    nat.on('OUTPUT').only('ipv4').not.dst('127.0.0.0/8').dstType('LOCAL').jump(chain),
    ...mappings.map((each) =>
      nat.on(chain).only('ipv4').proto(each.protocol).dport(each.hostPort).dnat(`${pod}:${each.containerPort}`),
    ),
  ])
}

export const portmap = (node: NetnsTarget = 'host') =>
  definePlugin({
    name: 'small-portmap',
    chained: true,
    config: netConf({
      runtimeConfig: z._default(z.looseObject({ portMappings: z._default(z.array(mapping), []) }), {
        portMappings: [],
      }),
    }),
    async add(c) {
      await iptables({ ...c, netns: node }).apply(rules(c.containerID, c.conf.runtimeConfig.portMappings, c.prevResult))
      return c.prevResult
    },
    check: (c) => iptables(node).verify(rules(c.containerID, c.conf.runtimeConfig.portMappings, c.prevResult)),
    async del(c) {
      await iptables(node).removeChains(chainOf(c.containerID))
    },
  })

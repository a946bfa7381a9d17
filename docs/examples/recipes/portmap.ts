import { iptables, ruleset } from '@cni/iptables'
import type { NetnsTarget } from '@cni/netns'
import { type AttachmentContext, attachmentName, definePlugin, netConf } from '@cni/skel'
import { type PortMapping, runtimeConfig } from '@cni/skel/capabilities'
import { CniError, containerIps, ErrorCode, type Result } from '@cni/types'

const chainOf = (c: AttachmentContext): string => attachmentName(c, 'PM-', 28)

/** What comes to a port of the node goes to a port of the pod, over IPv4. */
function rules(chain: string, mappings: readonly PortMapping[], result: Result) {
  const [pod] = containerIps(result, { family: 'ipv4' })
  if (!pod) throw new CniError(ErrorCode.invalidNetworkConfig, 'the pod has no IPv4 address to map ports to')
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
    config: netConf({ runtimeConfig: runtimeConfig('portMappings') }),
    async add(c) {
      await iptables({ ...c, netns: node }).apply(rules(chainOf(c), c.conf.runtimeConfig.portMappings, c.prevResult))
      return c.prevResult
    },
    check: (c) => iptables(node).verify(rules(chainOf(c), c.conf.runtimeConfig.portMappings, c.prevResult)),
    async del(c) {
      await iptables(node).removeChains(chainOf(c))
    },
  })

import { iptables, ruleset } from '@cni/iptables'
import { type NetnsTarget, openRtnl } from '@cni/netns'
import { conntrack } from '@cni/netns/conntrack'
import {
  type AttachmentContext,
  attachmentName,
  definePlugin,
  netConf,
  type RuntimeConfig,
  runtimeConfig,
} from '@cni/skel'
import { CniError, containerIps, ErrorCode, type Result } from '@cni/types'

type PortMapping = RuntimeConfig['portMappings'][number]

const chainOf = (c: AttachmentContext): string => attachmentName(c, 'PM-', 28)
const loopback = { ipv4: '127.0.0.0/8', ipv6: '::1/128' } as const
const isAny = (hostIP: string): boolean => ['', '0.0.0.0', '::'].includes(hostIP)

/** Forwards packets from ports of the node to ports of the pod, for IPv4 and for IPv6. */
function rules(chain: string, mappings: readonly PortMapping[], result: Result) {
  if (mappings.length > 0 && containerIps(result).length === 0) {
    throw new CniError(ErrorCode.invalidNetworkConfig, 'the pod has no address to map ports to')
  }
  return ruleset({ nat: [chain] }, ({ nat }) =>
    (['ipv4', 'ipv6'] as const).flatMap((family) => {
      const [pod] = containerIps(result, { family })
      const own = mappings.filter((each) => canMap(each, family, pod))
      if (own.length === 0) return []
      const host = family === 'ipv4' ? pod : `[${pod}]`
      return [
        nat.on('PREROUTING').only(family).dstType('LOCAL').jump(chain),
        nat.on('OUTPUT').only(family).not.dst(loopback[family]).dstType('LOCAL').jump(chain),
        ...own.map(({ protocol, hostPort, hostIP, containerPort }) => {
          const rule = nat.on(chain).only(family).proto(protocol).dport(hostPort)
          return (isAny(hostIP) ? rule : rule.dst(hostIP)).dnat(`${host}:${containerPort}`)
        }),
      ]
    }),
  )
}

/** True if a port mapping applies to an IP family and the pod has an address of that family. */
function canMap(
  { protocol, hostPort, hostIP }: PortMapping,
  family: 'ipv4' | 'ipv6',
  pod: string | undefined,
): boolean {
  const refuse = (why: string) =>
    new CniError(
      ErrorCode.invalidNetworkConfig,
      `hostPort ${hostPort}/${protocol} of ${hostIP || 'every address'}: ${why}`,
    )
  if (protocol === 'sctp') throw refuse('SCTP is not supported; map TCP or UDP')
  if (hostIP === '::1' || hostIP.startsWith('127.'))
    throw refuse('a loopback address cannot be mapped; give another one')
  if (hostIP !== '' && hostIP.includes(':') !== (family === 'ipv6')) return false
  if (pod === undefined && !isAny(hostIP))
    throw refuse(`the pod has no ${family} address; give an address of its family`)
  return pod !== undefined
}

/** Deletes conntrack entries, because old entries send UDP clients to the previous pod. */
async function forgetClients(c: AttachmentContext, node: NetnsTarget, mappings: readonly PortMapping[]): Promise<void> {
  const udp = mappings.filter(({ protocol }) => protocol === 'udp')
  if (udp.length === 0) return
  try {
    using rtnl = await openRtnl(node)
    const local = new Set((await rtnl.getAddresses()).map(({ address }) => address))
    for (const { hostPort: dport, hostIP } of udp) {
      const dst = isAny(hostIP) ? undefined : hostIP
      await conntrack(node).delete({ protocol: 'udp', original: { dport, dst } }, ({ original }) =>
        local.has(original.dst),
      )
    }
  } catch (error) {
    c.log.warn('UDP clients may still reach the pod that had the port before', { error })
  }
}

export const portmap = (node: NetnsTarget = 'host') =>
  definePlugin({
    name: 'small-portmap',
    chained: true,
    config: netConf({ runtimeConfig: runtimeConfig('portMappings') }),
    async add(c) {
      const { portMappings } = c.conf.runtimeConfig
      const wanted = rules(chainOf(c), portMappings, c.prevResult)
      // if the ADD fails: deletes the conntrack entries again after the rollback has removed the rules
      c.undo(() => forgetClients(c, node, portMappings))
      await iptables({ ...c, netns: node }).apply(wanted)
      await forgetClients(c, node, portMappings)
      return c.prevResult
    },
    check: (c) => iptables(node).verify(rules(chainOf(c), c.conf.runtimeConfig.portMappings, c.prevResult)),
    async del(c) {
      await iptables(node).removeChains(chainOf(c))
      await forgetClients(c, node, c.conf?.runtimeConfig.portMappings ?? [])
    },
  })

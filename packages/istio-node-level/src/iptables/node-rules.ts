import { type Rule, type Ruleset, ruleset } from '@cni/iptables'
import type { Builders } from '@cni/iptables/rules'
import { marks, POD_SET, tunnels, ZTUNNEL_DNS_PORT } from '../names.ts'
import type { NodeFacts } from './facts.ts'

/** Inputs of the node's iptables rules. Their values differ between nodes and ztunnels. */
export type NodeRuleFacts = Pick<NodeFacts, 'hostIp' | 'ztunnelIp' | 'ztunnelVeth' | 'port' | 'dnsCapture'>

const chains = {
  nat: ['ztunnel-PREROUTING', 'ztunnel-POSTROUTING'],
  mangle: ['ztunnel-PREROUTING', 'ztunnel-POSTROUTING', 'ztunnel-OUTPUT', 'ztunnel-INPUT', 'ztunnel-FORWARD'],
  filter: ['ztunnel-FORWARD'],
} as const

/** Ruleset that has the node's chains but no rules. It names the chains to remove from the node. */
export const noNodeRules: Ruleset = ruleset(chains, () => [])

/** Builds the node's iptables rules. Packet marks select the route table, and connection marks identify answers. */
export function nodeRules(facts: NodeRuleFacts): Ruleset {
  return ruleset(chains, (t) =>
    [
      ...hooks(t),
      ...fromTunnels(t),
      ...connections(t),
      ...probesAndOutbound(t, facts),
      ...queries(t, facts),
      ...marking(t, facts),
    ].map((rule): Rule => ({ ...rule, family: 'ipv4' })),
  )
}

// internal

type Tables = Builders<typeof chains>

function hooks({ nat, mangle, filter }: Tables): readonly Rule[] {
  return [
    nat.insert('PREROUTING').jump('ztunnel-PREROUTING'),
    nat.insert('POSTROUTING').jump('ztunnel-POSTROUTING'),
    mangle.insert('PREROUTING').jump('ztunnel-PREROUTING'),
    mangle.insert('POSTROUTING').jump('ztunnel-POSTROUTING'),
    mangle.insert('OUTPUT').jump('ztunnel-OUTPUT'),
    mangle.insert('INPUT').jump('ztunnel-INPUT'),
    mangle.insert('FORWARD').jump('ztunnel-FORWARD'),
    filter.insert('FORWARD').jump('ztunnel-FORWARD'),
  ]
}

/**
 * Builds the rules for packets from a tunnel: ztunnel has processed these packets, so the node routes them normally.
 */
function fromTunnels({ mangle }: Tables): readonly Rule[] {
  return [tunnels.inbound, tunnels.outbound].flatMap(({ node: [name] }) => {
    const fromTunnel = mangle.on('ztunnel-PREROUTING').in(name)
    return [fromTunnel.setMark(marks.skip, marks.skip), fromTunnel.return()]
  })
}

/** Builds the rules that save a packet's mark to the connection, to recognise answer packets later. */
function connections({ mangle }: Tables): readonly Rule[] {
  return [marks.connectionSkip, marks.proxy].flatMap((mark) =>
    (['ztunnel-FORWARD', 'ztunnel-INPUT'] as const).map((chain) => mangle.on(chain).mark(mark, mark).saveMark(mark)),
  )
}

function probesAndOutbound({ mangle, nat, filter }: Tables, { hostIp }: NodeRuleFacts): readonly Rule[] {
  const { outbound } = marks
  return [
    // Packets from the node's own address, such as probes of the kubelet, bypass the mesh.
    mangle.on('ztunnel-OUTPUT').only('ipv4').src(hostIp).setMark(marks.connectionSkip),
    // Accepts packets to ztunnel early, because NAT rules of other programs must not change these packets.
    nat.on('ztunnel-PREROUTING').mark(outbound, outbound).accept(),
    nat.on('ztunnel-POSTROUTING').mark(outbound, outbound).accept(),
    filter.on('ztunnel-FORWARD').mark(outbound, outbound).accept(),
  ]
}

function queries({ nat }: Tables, { dnsCapture, ztunnelIp }: NodeRuleFacts): readonly Rule[] {
  if (!dnsCapture) return []
  const query = nat.on('ztunnel-PREROUTING').only('ipv4').proto('udp').set(POD_SET, 'src').dport(53)
  return [query.dnat(`${ztunnelIp}:${ZTUNNEL_DNS_PORT}`)]
}

function marking({ mangle }: Tables, { ztunnelIp, ztunnelVeth, port }: NodeRuleFacts): readonly Rule[] {
  const on = mangle.on('ztunnel-PREROUTING').only('ipv4')
  const { connectionSkip, skip, proxy, proxyReturn, outbound } = marks
  return [
    // Lets the tunnels' outer UDP packets leave the chain, because these packets must get no mark.
    on.proto('udp').dport(port).return(),
    on.connmark(connectionSkip, connectionSkip).setMark(skip, skip),
    on.mark(skip, skip).return(),
    // Marks answers to requests that ztunnel sent with a pod's source address.
    on.not.in(ztunnelVeth).connmark(proxy, proxy).setMark(proxyReturn, proxyReturn),
    on.mark(proxyReturn, proxyReturn).return(),
    on.in(ztunnelVeth).not.src(ztunnelIp).setMark(proxy, proxy),
    on.mark(skip, skip).return(),
    // Packets from ztunnel's own address and all UDP packets bypass redirection.
    on.in(ztunnelVeth).setMark(connectionSkip, connectionSkip),
    on.proto('udp').setMark(connectionSkip, connectionSkip),
    on.mark(skip, skip).return(),
    on.proto('tcp').set(POD_SET, 'src').setMark(outbound, outbound),
  ]
}

import { type Rule, type Ruleset, ruleset } from '@cni/iptables'
import type { Builders } from '@cni/iptables/rules'
import { marks, POD_SET, tunnels, ZTUNNEL_DNS_PORT } from '../names.ts'
import type { NodeFacts } from './facts.ts'

/** What the rules of the node depend on. */
export type NodeRuleFacts = Pick<NodeFacts, 'hostIp' | 'ztunnelIp' | 'ztunnelVeth' | 'port' | 'dnsCapture'>

const chains = {
  nat: ['ztunnel-PREROUTING', 'ztunnel-POSTROUTING'],
  mangle: ['ztunnel-PREROUTING', 'ztunnel-POSTROUTING', 'ztunnel-OUTPUT', 'ztunnel-INPUT', 'ztunnel-FORWARD'],
  filter: ['ztunnel-FORWARD'],
} as const

/** No rule, in the same chains: what removes them. */
export const noNodeRules: Ruleset = ruleset(chains, () => [])

/**
 * The node's rules. A packet's mark decides which table routes it; that of its connection tells the answers. Whatever is
 * marked `skip` goes where it would without a mesh.
 */
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

/** What comes out of a tunnel has been through ztunnel. */
function fromTunnels({ mangle }: Tables): readonly Rule[] {
  return [tunnels.inbound, tunnels.outbound].flatMap(({ node: [name] }) => {
    const fromTunnel = mangle.on('ztunnel-PREROUTING').in(name)
    return [fromTunnel.setMark(marks.skip, marks.skip), fromTunnel.return()]
  })
}

/** The marks that answers need are those of their connection, too. */
function connections({ mangle }: Tables): readonly Rule[] {
  return [marks.connectionSkip, marks.proxy].flatMap((mark) =>
    (['ztunnel-FORWARD', 'ztunnel-INPUT'] as const).map((chain) => mangle.on(chain).mark(mark, mark).saveMark(mark)),
  )
}

function probesAndOutbound({ mangle, nat, filter }: Tables, { hostIp }: NodeRuleFacts): readonly Rule[] {
  const { outbound } = marks
  return [
    // What the node itself sends, probes for one, is not for the mesh.
    mangle.on('ztunnel-OUTPUT').only('ipv4').src(hostIp).setMark(marks.connectionSkip),
    // What goes to ztunnel keeps its addresses, whatever other rules do with those of pods.
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
    // The tunnels themselves.
    on.proto('udp').dport(port).return(),
    on.connmark(connectionSkip, connectionSkip).setMark(skip, skip),
    on.mark(skip, skip).return(),
    // Answers to what ztunnel sent with the address of somebody else.
    on.not.in(ztunnelVeth).connmark(proxy, proxy).setMark(proxyReturn, proxyReturn),
    on.mark(proxyReturn, proxyReturn).return(),
    on.in(ztunnelVeth).not.src(ztunnelIp).setMark(proxy, proxy),
    on.mark(skip, skip).return(),
    // The rest of what ztunnel sends, and all datagrams.
    on.in(ztunnelVeth).setMark(connectionSkip, connectionSkip),
    on.proto('udp').setMark(connectionSkip, connectionSkip),
    on.mark(skip, skip).return(),
    on.proto('tcp').set(POD_SET, 'src').setMark(outbound, outbound),
  ]
}

import { restoreText } from '@cni/iptables/rules'
import { describe, expect, test } from 'vitest'
import type { NodeFacts } from './iptables/facts.ts'
import { nodePlan, podRoute } from './iptables/node-plan.ts'
import { noNodeRules } from './iptables/node-rules.ts'
import { ztunnelPlan } from './iptables/ztunnel-plan.ts'
import { networkText, routeText } from './network/network-text.ts'

const facts: NodeFacts = {
  hostIp: '10.60.255.254',
  ztunnelIp: '10.60.0.2',
  ztunnelVeth: 'vzt',
  tunnel: 'geneve',
  port: 6081,
  dnsCapture: true,
}

/** All rules as `table -A chain …`, in their order. */
const listing = (rules: Parameters<typeof restoreText>[0]): string[] => {
  let table = ''
  return restoreText(rules, 'ipv4')
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('*')) table = line.slice(1)
      return /^-[AI] /.test(line) ? [`${table} ${line}`] : []
    })
}

const ztunnelChains = [
  'nat PREROUTING',
  'nat POSTROUTING',
  'mangle PREROUTING',
  'mangle POSTROUTING',
  'mangle OUTPUT',
  'mangle INPUT',
  'mangle FORWARD',
  'filter FORWARD',
]

const marking = [
  '-p udp --dport 6081 -j RETURN',
  '-m connmark --mark 544/0x220 -j MARK --set-mark 512/0x200',
  '-m mark --mark 512/0x200 -j RETURN',
  '! -i vzt -m connmark --mark 528/0x210 -j MARK --set-mark 64/0x40',
  '-m mark --mark 64/0x40 -j RETURN',
  '-i vzt ! -s 10.60.0.2 -j MARK --set-mark 528/0x210',
  '-m mark --mark 512/0x200 -j RETURN',
  '-i vzt -j MARK --set-mark 544/0x220',
  '-p udp -j MARK --set-mark 544/0x220',
  '-m mark --mark 512/0x200 -j RETURN',
  '-p tcp -m set --match-set ztunnel-pods-ips src -j MARK --set-mark 256/0x100',
]

/** Rules A1 to A4, then B1 to B11, in the order of their chain. */
const manglePrerouting = [
  '-i istioin -j MARK --set-mark 512/0x200',
  '-i istioin -j RETURN',
  '-i istioout -j MARK --set-mark 512/0x200',
  '-i istioout -j RETURN',
  ...marking,
]

describe('the rules of the node', () => {
  const rules = listing(nodePlan(facts).rules)
  const of = (table: string, chain: string) =>
    rules.flatMap((line) => (line.startsWith(`${table} -A ${chain} `) ? [line.split(` ${chain} `)[1]] : []))

  test('start with jumps to the eight chains', () => {
    expect(rules.filter((line) => line.includes(' -I '))).toHaveLength(8)
    for (const place of ztunnelChains) {
      const [table, chain] = place.split(' ')
      expect(rules).toContain(`${table} -I ${chain} 1 -j ztunnel-${chain}`)
    }
  })

  test.each<[string, string, readonly string[]]>([
    ['mangle', 'PREROUTING', manglePrerouting],
    ['mangle', 'POSTROUTING', []],
    [
      'mangle',
      'FORWARD',
      [
        '-m mark --mark 544/0x220 -j CONNMARK --save-mark --mask 0x220',
        '-m mark --mark 528/0x210 -j CONNMARK --save-mark --mask 0x210',
      ],
    ],
    [
      'mangle',
      'INPUT',
      [
        '-m mark --mark 544/0x220 -j CONNMARK --save-mark --mask 0x220',
        '-m mark --mark 528/0x210 -j CONNMARK --save-mark --mask 0x210',
      ],
    ],
    ['mangle', 'OUTPUT', ['-s 10.60.255.254 -j MARK --set-mark 544']],
    [
      'nat',
      'PREROUTING',
      [
        '-m mark --mark 256/0x100 -j ACCEPT',
        '-p udp -m set --match-set ztunnel-pods-ips src --dport 53 -j DNAT --to-destination 10.60.0.2:15053',
      ],
    ],
    ['nat', 'POSTROUTING', ['-m mark --mark 256/0x100 -j ACCEPT']],
    ['filter', 'FORWARD', ['-m mark --mark 256/0x100 -j ACCEPT']],
  ])('%s ztunnel-%s', (table, chain, expected) => {
    expect(of(table, `ztunnel-${chain}`)).toEqual(expected)
  })

  test('redirect no DNS queries unless ztunnel captures them', () => {
    const without = listing(nodePlan({ ...facts, dnsCapture: false }).rules)
    expect(rules.filter((line) => !without.includes(line))).toEqual([
      `nat -A ztunnel-PREROUTING ${of('nat', 'ztunnel-PREROUTING')[1]}`,
    ])
  })

  test('are in eight chains, which are removed with the rules', () => {
    expect(noNodeRules.chains.map(({ table, name }) => `${table} ${name.replace('ztunnel-', '')}`)).toEqual(
      ztunnelChains,
    )
  })
})

test('the network of the node has settings, tunnels, routes and policy rules', () => {
  expect(networkText(nodePlan(facts).network)).toEqual([
    'sysctl -w net/ipv4/conf/default/rp_filter=0',
    'sysctl -w net/ipv4/conf/all/rp_filter=0',
    'sysctl -w net/ipv4/conf/vzt/rp_filter=0',
    'sysctl -w net/ipv4/conf/istioin/rp_filter=0',
    'sysctl -w net/ipv4/conf/istioout/rp_filter=0',
    'sysctl -w net/ipv4/conf/vzt/accept_local=1',
    'sysctl -w net/ipv4/conf/istioin/accept_local=1',
    'sysctl -w net/ipv4/conf/istioout/accept_local=1',
    'ip link add istioin type geneve id 1000 remote 10.60.0.2 dstport 6081',
    'ip addr add 192.168.126.1/30 dev istioin',
    'ip link set istioin up',
    'ip link add istioout type geneve id 1001 remote 10.60.0.2 dstport 6081',
    'ip addr add 192.168.127.1/30 dev istioout',
    'ip link set istioout up',
    'ip route add table 101 10.60.0.2/32 dev vzt scope link',
    'ip route add table 101 0.0.0.0/0 via 192.168.127.2 dev istioout',
    'ip route add table 102 10.60.0.2/32 dev vzt scope link',
    'ip route add table 102 0.0.0.0/0 via 10.60.0.2 dev vzt onlink',
    'ip route add table 100 10.60.0.2/32 dev vzt scope link',
    'ip rule add priority 100 fwmark 0x200/0x200 goto 32766',
    'ip rule add priority 101 fwmark 0x100/0x100 lookup 101',
    'ip rule add priority 102 fwmark 0x40/0x40 lookup 102',
    'ip rule add priority 103 lookup 100',
  ])
  expect(routeText(podRoute('10.60.0.3', facts))).toBe(
    'table 100 10.60.0.3/32 via 192.168.126.2 dev istioin src 10.60.255.254',
  )
})

describe('the plan for ztunnel’s namespace', () => {
  const plan = ztunnelPlan({
    ztunnelIp: '10.60.0.2',
    veth: 'eth0',
    nodeIp: '10.60.255.254',
    tunnel: 'vxlan',
    port: 6082,
  })

  test('has four rules', () => {
    expect(listing(plan.rules)).toEqual([
      'mangle -A PREROUTING -p tcp -i pistioin --dport 15008 -j TPROXY --tproxy-mark 1024/0xfff --on-port 15008 --on-ip 127.0.0.1',
      'mangle -A PREROUTING -p tcp -i pistioout -j TPROXY --tproxy-mark 1024/0xfff --on-port 15001 --on-ip 127.0.0.1',
      'mangle -A PREROUTING -p tcp -i pistioin -j TPROXY --tproxy-mark 1024/0xfff --on-port 15006 --on-ip 127.0.0.1',
      'mangle -A PREROUTING -p tcp -i eth0 ! -d 10.60.0.2 -j MARK --set-mark 1235/0xfff',
    ])
  })

  test('has settings, tunnels, routes and policy rules', () => {
    expect(networkText(plan.network)).toEqual([
      'sysctl -w net/ipv4/conf/default/rp_filter=0',
      'sysctl -w net/ipv4/conf/all/rp_filter=0',
      'sysctl -w net/ipv4/conf/eth0/rp_filter=0',
      'sysctl -w net/ipv4/conf/pistioin/rp_filter=0',
      'sysctl -w net/ipv4/conf/pistioout/rp_filter=0',
      'ip link add pistioin type vxlan id 1000 remote 10.60.255.254 dstport 6082',
      'ip addr add 192.168.126.2/30 dev pistioin',
      'ip link set pistioin up',
      'ip link add pistioout type vxlan id 1001 remote 10.60.255.254 dstport 6082',
      'ip addr add 192.168.127.2/30 dev pistioout',
      'ip link set pistioout up',
      'ip route add table 100 local 0.0.0.0/0 dev lo scope host',
      'ip route add table 101 0.0.0.0/0 via 192.168.127.1 dev pistioout',
      'ip route add table 102 0.0.0.0/0 via 192.168.126.1 dev pistioin',
      'ip route add table 101 10.60.255.254/32 dev eth0 scope link',
      'ip route add table 102 10.60.255.254/32 dev eth0 scope link',
      'ip rule add priority 20000 fwmark 0x400/0xfff lookup 100',
      'ip rule add priority 20003 fwmark 0x4d3/0xfff lookup 100',
    ])
  })
})

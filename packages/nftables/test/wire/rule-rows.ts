import { base, chain, map, nftRuleset, type Placed, type RuleBuilder, type Ruleset, set } from '@cni/nftables/rules'

const parts = {
  c: base('filter', 'prerouting', 0),
  i: base('filter', 'input', 0),
  n: base('nat', 'output', -100),
  p: base('nat', 'postrouting', 100),
  d: chain,
  s: set('ipv4_addr'),
  iv: set('ipv4_addr', { interval: true }),
  m: set('mark', { interval: true }),
  vm: map('inet_service', 'verdict'),
} as const

/** Input for `nft -f`: a table with chains and sets, and with the tested rule in one chain. */
export const tableText = (chainName: string, rule: string): string => `table inet t {
  set s { type ipv4_addr; }
  set iv { type ipv4_addr; flags interval; }
  set m { type mark; flags interval; }
  map vm { type inet_service : verdict; }
  chain c { type filter hook prerouting priority 0; ${chainName === 'c' ? rule : ''}
  }
  chain i { type filter hook input priority 0; ${chainName === 'i' ? rule : ''}
  }
  chain n { type nat hook output priority -100; ${chainName === 'n' ? rule : ''}
  }
  chain p { type nat hook postrouting priority 100; ${chainName === 'p' ? rule : ''}
  }
  chain d {
  }
}
`

type In<C extends 'c' | 'i' | 'n' | 'p'> = RuleBuilder<'inet', { readonly t: typeof parts }['t'], C>

/** Test case: a rule as text for nft, and as a ruleset of this package. */
export interface Row {
  readonly chain: 'c' | 'i' | 'n' | 'p'
  readonly text: string
  readonly rules: Ruleset
}

const rowOf = (chainName: 'c' | 'i' | 'n' | 'p', text: string, placed: (t: never) => Placed): Row => ({
  chain: chainName,
  text,
  rules: nftRuleset('inet', { t: parts }, (t) => [placed(t.t.on(chainName) as never)]),
})
const c = (text: string, rule: (r: In<'c'>) => Placed) => rowOf('c', text, rule)
const i = (text: string, rule: (r: In<'i'>) => Placed) => rowOf('i', text, rule)
const n = (text: string, rule: (r: In<'n'>) => Placed) => rowOf('n', text, rule)
const p = (text: string, rule: (r: In<'p'>) => Placed) => rowOf('p', text, rule)

/** Test cases for every kind of statement in a rule. */
export const rows: readonly Row[] = [
  c('tcp dport 80', (r) => r.tcp('dport', 80)),
  c('tcp dport { 80 }', (r) => r.tcp('dport', [80])),
  c('tcp dport != { 80 }', (r) => r.tcp('dport').not([80])),
  c('tcp dport 80-90', (r) => r.tcp('dport', { from: 80, to: 90 })),
  c('tcp dport != 80-90', (r) => r.tcp('dport').not({ from: 80, to: 90 })),
  c('tcp dport { 80-90, 443 }', (r) => r.tcp('dport', [443, { from: 80, to: 90 }])),
  c('tcp dport { 80-90, 91-95, 65535 }', (r) => r.tcp('dport', [{ from: 80, to: 90 }, { from: 91, to: 95 }, 65535])),
  c('tcp dport { 0-5, 7 }', (r) => r.tcp('dport', [7, { from: 0, to: 5 }])),
  c('tcp dport != { 53, 15008 } accept', (r) => r.tcp('dport').not([53, 15008]).accept()),
  c('tcp dport > 1023', (r) => r.tcp('dport').compare('>', 1023)),
  c('tcp sport 1 tcp dport 2', (r) => r.tcp('sport', 1).tcp('dport', 2)),
  c('tcp dport 2 tcp sport 1', (r) => r.tcp('dport', 2).tcp('sport', 1)),
  c('tcp sport != 1 tcp dport 2', (r) => r.tcp('sport').not(1).tcp('dport', 2)),
  c('tcp sport 1 tcp dport { 5, 6 }', (r) => r.tcp('sport', 1).tcp('dport', [5, 6])),
  c('tcp dport 5 tcp dport 6', (r) => r.tcp('dport', 5).tcp('dport', 6)),
  c('udp sport 53 udp dport 53', (r) => r.udp('sport', 53).udp('dport', 53)),
  c('meta l4proto tcp th sport 1 th dport 2', (r) => r.l4proto('tcp').th('sport', 1).th('dport', 2)),
  c('meta l4proto { tcp, udp } th dport 53', (r) => r.l4proto(['tcp', 'udp']).th('dport', 53)),
  c('meta l4proto != 47', (r) => r.l4proto().not(47)),
  c('meta l4proto tcp meta l4proto tcp', (r) => r.l4proto('tcp').l4proto('tcp')),
  c('ip saddr 1.2.3.4 ip daddr 5.6.7.8', (r) => r.ip('saddr', '1.2.3.4').ip('daddr', '5.6.7.8')),
  c('ip saddr 1.0.0.0/8 ip daddr 5.6.0.0/16', (r) => r.ip('saddr', '1.2.3.4/8').ip('daddr', '5.6.0.0/16')),
  c('ip daddr 5.6.7.0/24', (r) => r.ip('daddr', '5.6.7.0/24')),
  c('ip daddr 10.0.0.0/9', (r) => r.ip('daddr', '10.0.0.0/9')),
  c('ip daddr != 10.0.0.0/9', (r) => r.ip('daddr').not('10.0.0.0/9')),
  c('ip daddr != 127.0.0.1', (r) => r.ip('daddr').not('127.0.0.1/32')),
  c('ip daddr 0.0.0.0/0', (r) => r.ip('daddr', '0.0.0.0/0')),
  c('ip6 daddr ::/0', (r) => r.ip6('daddr', '::/0')),
  c('ip6 saddr ::1 ip6 daddr ::2', (r) => r.ip6('saddr', '::1').ip6('daddr', '::2')),
  c('ip6 daddr fe80::/10', (r) => r.ip6('daddr', 'fe80::1/10')),
  c('ip6 daddr 2001:db8::/32', (r) => r.ip6('daddr', '2001:db8::/32')),
  c('ip6 daddr { ::1, fe80::/10 }', (r) => r.ip6('daddr', ['::1', 'fe80::/10'])),
  c('ip daddr { 10.0.0.0/8 }', (r) => r.ip('daddr', ['10.0.0.0/8'])),
  c('ip daddr { 10.0.0.0/8, 11.0.0.0/8 }', (r) => r.ip('daddr', ['10.0.0.0/8', '11.0.0.0/8'])),
  c('ip daddr { 10.0.0.0/8, 192.168.1.1 }', (r) => r.ip('daddr', ['10.0.0.0/8', '192.168.1.1'])),
  c('ip daddr { 1.2.3.4, 1.2.3.5 }', (r) => r.ip('daddr', ['1.2.3.4', '1.2.3.5'])),
  c('ip daddr 10.0.0.1-10.0.0.9', (r) => r.ip('daddr', { from: '10.0.0.1', to: '10.0.0.9' })),
  c('ip daddr != 10.0.0.1-10.0.0.9', (r) => r.ip('daddr').not({ from: '10.0.0.1', to: '10.0.0.9' })),
  c('ip daddr & 255.0.255.0 == 10.0.5.0', (r) => r.ip('daddr', { value: '10.0.5.0', mask: '255.0.255.0' })),
  c('ip daddr @s', (r) => r.ip('daddr', { named: 's' })),
  c('ip daddr != @iv', (r) => r.ip('daddr').not({ named: 'iv' })),
  c('mark @m', (r) => r.mark({ named: 'm' })),
  c('ip daddr 1.2.3.4 tcp dport 5', (r) => r.ip('daddr', '1.2.3.4').tcp('dport', 5)),
  c('meta l4proto tcp ip daddr 1.2.3.4 tcp dport 5', (r) => r.l4proto('tcp').ip('daddr', '1.2.3.4').tcp('dport', 5)),
  c('ip protocol tcp tcp dport 5', (r) => r.ip('protocol', 'tcp').tcp('dport', 5)),
  c('ip6 nexthdr udp udp dport 5', (r) => r.ip6('nexthdr', 'udp').udp('dport', 5)),
  c('meta nfproto ipv4 ip daddr 1.2.3.4', (r) => r.nfproto('ipv4').ip('daddr', '1.2.3.4')),
  c('icmp type 8', (r) => r.icmp('type', 8)),
  c('icmp type { 8, 0 } ip saddr 1.2.3.4', (r) => r.icmp('type', [8, 0]).ip('saddr', '1.2.3.4')),
  c('meta l4proto icmp icmp type 8', (r) => r.l4proto('icmp').icmp('type', 8)),
  c('icmpv6 type 128', (r) => r.icmpv6('type', 128)),
  c('iifname "lo"', (r) => r.iifname('lo')),
  c('iifname "eth*"', (r) => r.iifname({ prefix: 'eth' })),
  c('oifname != "lo"', (r) => r.oifname().not('lo')),
  c('iifname { "eth0", "lo" }', (r) => r.iifname(['eth0', 'lo'])),
  c('iifname { "eth*", "lo" }', (r) => r.iifname([{ prefix: 'eth' }, 'lo'])),
  c('mark 5', (r) => r.mark(5)),
  c('mark != 1338', (r) => r.mark().not(1338)),
  c('mark and 0xff == 0x1', (r) => r.mark({ value: 1, mask: 0xff })),
  c('mark and 0xff != 0x1', (r) => r.mark().not({ value: 1, mask: 0xff })),
  c('mark { 1, 2 }', (r) => r.mark([1, 2])),
  c('mark 1-5', (r) => r.mark({ from: 1, to: 5 })),
  c('mark != 1-5', (r) => r.mark().not({ from: 1, to: 5 })),
  c('mark { 1-5, 9 }', (r) => r.mark([{ from: 1, to: 5 }, 9])),
  c('skuid 1337', (r) => r.skuid(1337)),
  c('skuid > 5', (r) => r.skuid().compare('>', 5)),
  c('skgid { 5, 6 }', (r) => r.skgid([5, 6])),
  c('skgid { 5-6, 1000 }', (r) => r.skgid([{ from: 5, to: 6 }, 1000])),
  c('meta pkttype { broadcast, multicast }', (r) => r.pkttype(['broadcast', 'multicast'])),
  c('ct state invalid', (r) => r.ct('state', 'invalid')),
  c('ct state established,related', (r) => r.ct('state', ['related', 'established'])),
  c('ct state != established,related', (r) => r.ct('state').not(['related', 'established'])),
  c('ct state { established, related }', (r) => r.ct('state', { set: [['established'], ['related']] })),
  c('ct state != { new, invalid }', (r) => r.ct('state').not({ set: [['new'], ['invalid']] })),
  c('ct state == new', (r) => r.ct('state', { set: [['new']] })),
  c('tcp flags syn', (r) => r.tcp('flags', 'syn')),
  c('tcp flags syn,ack accept', (r) => r.tcp('flags', ['syn', 'ack']).accept()),
  c('tcp flags == syn', (r) => r.tcp('flags', { set: [['syn']] })),
  c('tcp flags != syn', (r) => r.tcp('flags').not('syn')),
  c('tcp flags & (fin|syn|rst|ack) == syn', (r) =>
    r.tcp('flags', { value: ['syn'], mask: ['fin', 'syn', 'rst', 'ack'] }),
  ),
  c('tcp flags & (fin|syn|rst|ack) != syn counter drop', (r) =>
    r
      .tcp('flags')
      .not({ value: ['syn'], mask: ['fin', 'syn', 'rst', 'ack'] })
      .counter()
      .drop(),
  ),
  c('tcp dport 80 tcp flags { syn, syn | ack }', (r) =>
    r.tcp('dport', 80).tcp('flags', { set: [['syn'], ['syn', 'ack']] }),
  ),
  c('ct status dnat', (r) => r.ct('status', 'dnat')),
  c('ct direction reply', (r) => r.ct('direction', 'reply')),
  c('ct mark 1337', (r) => r.ct('mark', 1337)),
  c('fib daddr type local', (r) => r.fib('daddr', 'local')),
  c('fib saddr type != { local, broadcast }', (r) => r.fib('saddr').not(['local', 'broadcast'])),
  c('socket transparent 1', (r) => r.socket('transparent', 1)),
  c('socket mark 5', (r) => r.socket('mark', 5)),
  c('tcp dport vmap { 80 : accept, 81 : jump d }', (r) =>
    r.vmap('tcp dport', [
      [80, { verdict: 'accept' }],
      [81, { verdict: 'jump', chain: 'd' }],
    ]),
  ),
  c('tcp dport vmap { 80-90 : accept, 91-95 : drop }', (r) =>
    r.vmap('tcp dport', [
      [{ from: 80, to: 90 }, { verdict: 'accept' }],
      [{ from: 91, to: 95 }, { verdict: 'drop' }],
    ]),
  ),
  c('ct state vmap { established : accept, invalid : drop }', (r) =>
    r.vmap('ct state', [
      [['established'], { verdict: 'accept' }],
      [['invalid'], { verdict: 'drop' }],
    ]),
  ),
  c('tcp dport vmap @vm', (r) => r.vmap('tcp dport', { named: 'vm' })),
  c('meta mark set 5', (r) => r.markSet(5)),
  c('meta mark set ct mark', (r) => r.markSet('ct mark')),
  c('meta mark set mark and 0xff or 0x100', (r) => r.markSet({ of: 'mark', and: 0xff, xor: 0x100 })),
  c('ct mark set mark', (r) => r.ctMarkSet('mark')),
  c('ct mark set ct mark and 0xfffff000 or 0x111', (r) => r.ctMarkSet({ of: 'ct mark', and: 0xfffff000, xor: 0x111 })),
  c('meta nftrace set 1', (r) => r.nftraceSet()),
  c('counter packets 5 bytes 7', (r) => r.raw({ name: 'counter', packets: 5n, bytes: 7n })),
  c('counter return comment "why not"', (r) => r.counter().return().comment('why not')),
  c('limit rate 3/second', (r) => r.limit({ rate: 3, per: 'second' })),
  c('limit rate over 10/minute burst 20 packets', (r) => r.limit({ rate: 10, per: 'minute', burst: 20, over: true })),
  c('limit rate 10240 bytes/second', (r) => r.limit({ rate: 10240, per: 'second', of: 'bytes' })),
  c('log', (r) => r.log()),
  c('log prefix "x" level info', (r) => r.log({ prefix: 'x', level: 6 })),
  c('log level debug flags all', (r) =>
    r.log({ level: 7, flags: ['tcp sequence', 'tcp options', 'ip options', 'skuid', 'ether'] }),
  ),
  c('log prefix "x" group 3 snaplen 20 queue-threshold 5', (r) =>
    r.log({ prefix: 'x', group: 3, snaplen: 20, threshold: 5 }),
  ),
  c('meta l4proto tcp tproxy ip to :80', (r) => r.l4proto('tcp').tproxy('ip', 80)),
  c('meta l4proto tcp tproxy ip6 to [::1]:80', (r) => r.l4proto('tcp').tproxy('ip6', 80, '::1')),
  c('goto d', (r) => r.goto('d')),
  c('drop', (r) => r.drop()),
  c('continue', (r) => r.continue()),
  i('reject', (r) => r.reject()),
  i('iifname "a" counter reject with icmp net-unreachable', (r) => r.iifname('a').counter().reject('icmp', 0)),
  i('iifname "a" reject with tcp reset', (r) => r.iifname('a').reject('tcp reset')),
  i('reject with icmpv6 no-route', (r) => r.reject('icmpv6', 0)),
  n('redirect', (r) => r.redirect()),
  n('udp dport 53 counter redirect to :15053', (r) => r.udp('dport', 53).counter().redirect(15053)),
  n('meta l4proto tcp redirect to :80-90 random,persistent', (r) =>
    r.l4proto('tcp').redirect({ from: 80, to: 90 }, { flags: ['persistent', 'random'] }),
  ),
  n('meta l4proto tcp dnat ip to 1.2.3.4:80', (r) => r.l4proto('tcp').dnat('ip', '1.2.3.4', 80)),
  n('meta l4proto tcp dnat ip to 1.2.3.4-1.2.3.9:80-90', (r) =>
    r.l4proto('tcp').dnat('ip', { from: '1.2.3.4', to: '1.2.3.9' }, { from: 80, to: 90 }),
  ),
  n('dnat ip6 to ::1', (r) => r.dnat('ip6', '::1')),
  p('masquerade', (r) => r.masquerade()),
  p('masquerade fully-random', (r) => r.masquerade(undefined, { flags: ['fully-random'] })),
  p('meta l4proto tcp masquerade to :80-90', (r) => r.l4proto('tcp').masquerade({ from: 80, to: 90 })),
  p('snat ip to 1.2.3.4 persistent', (r) => r.snat('ip', '1.2.3.4', undefined, { flags: ['persistent'] })),
]

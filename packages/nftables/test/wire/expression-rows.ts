import { be16, u32 } from '@cni/netns/netlink'
import type { BaseChain, ElementSpec, Expression, Expressions, SetSpec, Verdict } from '@cni/nftables/wire'

/** Test case: a rule in nft's words, and the netlink expressions that nft writes for the rule. */
export interface Row {
  readonly text: string
  /** Base chain that contains the rule. Default: a chain that no packet enters. */
  readonly base?: BaseChain
  readonly set?: Pick<
    SetSpec,
    'set' | 'flags' | 'keyType' | 'keyLength' | 'dataType' | 'dataLength' | 'size' | 'userdata'
  >
  readonly elements?: readonly ElementSpec[]
  readonly expressions: readonly Expression[]
}

const bytes = (hex: string) => Buffer.from(hex, 'hex')
const name16 = (name: string) => {
  const padded = Buffer.alloc(16)
  padded.write(name)
  return padded
}
const cmp = (data: Uint8Array, op: Expressions['cmp']['op'] = 'eq'): Expression => ({ name: 'cmp', sreg: 1, op, data })
const meta = (key: Expressions['meta']['key']): Expression => ({ name: 'meta', key, dreg: 1 })
const setMeta = (key: Expressions['meta']['key']): Expression => ({ name: 'meta', key, sreg: 1 })
const ct = (key: Expressions['ct']['key']): Expression => ({ name: 'ct', key, dreg: 1 })
const setCt = (key: Expressions['ct']['key']): Expression => ({ name: 'ct', key, sreg: 1 })
const payload = (base: 'network' | 'transport', offset: number, len: number): Expression => ({
  ...{ name: 'payload', dreg: 1, base, offset, len },
})
const bitwise = (mask: string, xor: string): Expression => ({
  ...{ name: 'bitwise', sreg: 1, dreg: 1, len: mask.length / 2, mask: bytes(mask), xor: bytes(xor) },
})
const load = (data: Uint8Array): Expression => ({ name: 'immediate', dreg: 1, data })
const end = (data: Verdict): Expression => ({ name: 'immediate', dreg: 0, data })
const counter: Expression = { name: 'counter' }
const TCP = [meta('l4proto'), cmp(Uint8Array.of(6))]
const UDP = [meta('l4proto'), cmp(Uint8Array.of(17))]
const IP4 = [meta('nfproto'), cmp(Uint8Array.of(2))]
const IP6 = [meta('nfproto'), cmp(Uint8Array.of(10))]
const DPORT = payload('transport', 2, 2)
const NAT: BaseChain = { type: 'nat', hook: 'output', priority: -100 }
const POSTROUTING: BaseChain = { type: 'nat', hook: 'postrouting', priority: 100 }
const MANGLE: BaseChain = { type: 'filter', hook: 'prerouting', priority: -150 }
const INPUT: BaseChain = { type: 'filter', hook: 'input', priority: 0 }
const RAW: BaseChain = { type: 'filter', hook: 'prerouting', priority: -300 }

// Anonymous sets as nft 1.0.6 writes them, with user data for "TCP destination port".
const PORTS = {
  set: '__set%d',
  ...{ flags: ['anonymous', 'constant'] as const, keyType: 13, keyLength: 2, size: 2 },
  userdata: bytes('0004020000000314000407000000010c000408000000010402000000'),
}
const PORT_VERDICTS = {
  set: '__map%d',
  ...{ flags: ['anonymous', 'constant', 'map'] as const, keyType: 13, keyLength: 2, size: 2 },
  ...{ dataType: 'verdict' as const, dataLength: 16 },
  // User data of the verdict map as nft 1.0.6 writes it, without a key expression.
  userdata: bytes('00040200000001040000000004080004010000000100060400000000'),
}

/** Test cases for every known expression except xt modules, as nft 1.0.6 writes them. */
export const rows: readonly Row[] = [
  { text: 'iifname "eth0"', expressions: [meta('iifname'), cmp(name16('eth0'))] },
  { text: 'oifname "eth*"', expressions: [meta('oifname'), cmp(Buffer.from('eth'))] },
  { text: 'meta l4proto tcp', expressions: TCP },
  { text: 'tcp dport 80', expressions: [...TCP, DPORT, cmp(be16(80))] },
  { text: 'tcp sport != 80', expressions: [...TCP, payload('transport', 0, 2), cmp(be16(80), 'neq')] },
  { text: 'udp dport 53', expressions: [...UDP, DPORT, cmp(be16(53))] },
  { text: 'tcp dport 80-90', expressions: [...TCP, DPORT, cmp(be16(80), 'gte'), cmp(be16(90), 'lte')] },
  {
    text: 'tcp dport != 80-90',
    expressions: [...TCP, DPORT, { name: 'range', sreg: 1, op: 'neq', from: be16(80), to: be16(90) }],
  },
  {
    text: 'tcp dport != { 53, 15008 }',
    set: PORTS,
    elements: [{ key: be16(53) }, { key: be16(15008) }],
    expressions: [...TCP, DPORT, { name: 'lookup', set: '__set%d', setId: 1, sreg: 1, flags: 1 }],
  },
  {
    text: 'tcp dport vmap { 80 : accept, 90 : drop }',
    set: PORT_VERDICTS,
    elements: [
      { key: be16(80), data: { verdict: 'accept' } },
      { key: be16(90), data: { verdict: 'drop' } },
    ],
    expressions: [...TCP, DPORT, { name: 'lookup', set: '__map%d', setId: 1, sreg: 1, dreg: 0 }],
  },
  { text: 'ip daddr 10.0.0.0/8', expressions: [...IP4, payload('network', 16, 1), cmp(bytes('0a'))] },
  { text: 'ip saddr 10.7.3.7', expressions: [...IP4, payload('network', 12, 4), cmp(bytes('0a070307'))] },
  {
    text: 'ip daddr 10.16.0.0/12',
    expressions: [...IP4, payload('network', 16, 4), bitwise('fff00000', '00000000'), cmp(bytes('0a100000'))],
  },
  {
    text: 'ip daddr 0.0.0.0/0',
    expressions: [...IP4, payload('network', 16, 4), bitwise('00000000', '00000000'), cmp(bytes('00000000'))],
  },
  {
    text: 'ip6 daddr ::1',
    expressions: [...IP6, payload('network', 24, 16), cmp(bytes('00000000000000000000000000000001'))],
  },
  { text: 'ip6 saddr fd00::/8', expressions: [...IP6, payload('network', 8, 1), cmp(bytes('fd'))] },
  { text: 'meta skuid 1337', base: NAT, expressions: [meta('skuid'), cmp(u32(1337))] },
  { text: 'meta skgid 1337', base: NAT, expressions: [meta('skgid'), cmp(u32(1337))] },
  { text: 'meta mark 1337', expressions: [meta('mark'), cmp(u32(1337))] },
  {
    text: 'meta mark and 0xff == 0x1',
    expressions: [meta('mark'), bitwise('ff000000', '00000000'), cmp(u32(1))],
  },
  {
    text: 'ct state invalid',
    expressions: [ct('state'), bitwise('01000000', '00000000'), cmp(u32(0), 'neq')],
  },
  {
    text: 'ct state established,related',
    expressions: [ct('state'), bitwise('06000000', '00000000'), cmp(u32(0), 'neq')],
  },
  { text: 'ct mark 0x111', expressions: [ct('mark'), cmp(u32(0x111))] },
  {
    text: 'ct mark set ct mark and 0xfffff000 xor 0x111',
    base: MANGLE,
    expressions: [ct('mark'), bitwise('00f0ffff', '11010000'), setCt('mark')],
  },
  { text: 'ct mark set meta mark', base: MANGLE, expressions: [meta('mark'), setCt('mark')] },
  { text: 'meta mark set ct mark', base: MANGLE, expressions: [ct('mark'), setMeta('mark')] },
  { text: 'meta mark set 1337', base: MANGLE, expressions: [load(u32(1337)), setMeta('mark')] },
  { text: 'ct zone set 1', base: RAW, expressions: [load(Uint8Array.of(1, 0)), setCt('zone')] },
  { text: 'notrack', base: RAW, expressions: [{ name: 'notrack' }] },
  { text: 'meta nftrace set 1', expressions: [load(Uint8Array.of(1)), setMeta('nftrace')] },
  { text: 'counter', expressions: [counter] },
  { text: 'counter packets 3 bytes 180', expressions: [{ name: 'counter', packets: 3n, bytes: 180n }] },
  { text: 'return', expressions: [end({ verdict: 'return' })] },
  { text: 'accept', expressions: [end({ verdict: 'accept' })] },
  { text: 'drop', expressions: [end({ verdict: 'drop' })] },
  { text: 'continue', expressions: [end({ verdict: 'continue' })] },
  { text: 'jump target', expressions: [end({ verdict: 'jump', chain: 'target' })] },
  { text: 'goto target', expressions: [end({ verdict: 'goto', chain: 'target' })] },
  {
    text: 'meta l4proto tcp counter redirect to :15001',
    base: NAT,
    expressions: [...TCP, counter, load(be16(15001)), { name: 'redir', regProtoMin: 1, regProtoMax: 1, flags: 2 }],
  },
  { text: 'redirect', base: NAT, expressions: [{ name: 'redir' }] },
  { text: 'masquerade', base: POSTROUTING, expressions: [{ name: 'masq' }] },
  { text: 'masquerade fully-random', base: POSTROUTING, expressions: [{ name: 'masq', flags: 16 }] },
  {
    text: 'snat ip to 10.0.0.1',
    base: POSTROUTING,
    expressions: [
      load(bytes('0a000001')),
      { name: 'nat', type: 'snat', family: 'ip', regAddrMin: 1, regAddrMax: 1, flags: 1 },
    ],
  },
  {
    text: 'meta l4proto tcp tproxy ip to :15006',
    base: MANGLE,
    expressions: [...TCP, load(be16(15006)), { name: 'tproxy', family: 'ip', regPort: 1 }],
  },
  {
    text: 'meta l4proto tcp tproxy ip6 to :15006',
    base: MANGLE,
    expressions: [...TCP, load(be16(15006)), { name: 'tproxy', family: 'ip6', regPort: 1 }],
  },
  { text: 'reject', base: INPUT, expressions: [{ name: 'reject', type: 'icmpx', code: 1 }] },
  {
    text: 'reject with icmpx admin-prohibited',
    base: INPUT,
    expressions: [{ name: 'reject', type: 'icmpx', code: 3 }],
  },
  {
    text: 'meta l4proto tcp reject with tcp reset',
    base: INPUT,
    expressions: [...TCP, { name: 'reject', type: 'tcp-reset' }],
  },
  {
    text: 'fib daddr type local',
    base: MANGLE,
    expressions: [{ name: 'fib', dreg: 1, result: 'type', flags: 2 }, cmp(u32(2))],
  },
  {
    text: 'socket transparent 1',
    base: MANGLE,
    expressions: [{ name: 'socket', key: 'transparent', dreg: 1 }, cmp(Uint8Array.of(1))],
  },
  { text: 'limit rate 5/second', expressions: [{ name: 'limit', rate: 5n, unit: 1n, burst: 5 }] },
  {
    text: 'limit rate over 10/minute burst 20 packets',
    expressions: [{ name: 'limit', rate: 10n, unit: 60n, burst: 20, flags: 1 }],
  },
  { text: 'log prefix "in: " level info', expressions: [{ name: 'log', prefix: 'in: ', level: 6 }] },
  { text: 'log prefix "in: " group 3', expressions: [{ name: 'log', prefix: 'in: ', group: 3 }] },
  {
    text: 'tcp sport 1 tcp dport 2',
    expressions: [...TCP, payload('transport', 0, 4), cmp(bytes('00010002'))],
  },
]

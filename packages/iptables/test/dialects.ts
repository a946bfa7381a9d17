import type { Expression } from '@cni/nftables/wire'
import type { Family } from '../src/rules/model.ts'

/** Versions of iptables-nft that encode rules differently. */
export const dialects = ['1.8.7', '1.8.9', '1.8.11'] as const
export type Dialect = (typeof dialects)[number]

/** Test case for the codecs: a rule's text, and the nf_tables encodings of the iptables versions. */
export interface DialectRow {
  /** Text of the rule as `iptables-nft-save` prints it. */
  readonly text: string
  readonly families: readonly Family[]
  /** Rule as iptables 1.8.7 encodes it, in the notation of {@link expressionsOf}. */
  readonly old: string
  /** Rule as later versions of iptables encode it, if that differs from 1.8.7. */
  readonly native?: string
}

const all = ['ipv4', 'ipv6'] as const
const only4 = ['ipv4'] as const
const only6 = ['ipv6'] as const

const row = (text: string, families: readonly Family[], old: string, native?: string): DialectRow => ({
  ...{ text, families, old },
  ...(native === undefined ? {} : { native }),
})

const tcp = 'proto 06'
const udp = 'proto 11'
const accept = 'counter; accept'

/** Test cases for the codecs: one rule for each difference between the iptables versions. */
export const dialectRows: readonly DialectRow[] = [
  row('', all, 'counter'),
  row('-j ACCEPT', all, accept),
  row('-j RETURN', all, 'counter; return'),
  row('-j EX2', all, 'counter; jump EX2'),
  row('-g EX2', all, 'counter; goto EX2'),
  row('-i eth0 -j ACCEPT', all, `meta iifname; cmp eq 6574683000; ${accept}`),
  row('! -o eth0 -j DROP', all, 'meta oifname; cmp neq 6574683000; counter; drop'),
  row('-i eth+ -j ACCEPT', all, `meta iifname; cmp eq 657468; ${accept}`),
  row('-j ACCEPT', all, `any iifname; any oifname; ${accept}`),
  row('-p tcp -j ACCEPT', all, `${tcp}; ${accept}`),
  row('! -p udp -j ACCEPT', all, `not-proto 11; ${accept}`),
  row(
    '-s 10.0.0.0/8 -d 10.1.2.3/32 -i eth0 -p tcp -j ACCEPT',
    only4,
    [
      ...['meta iifname; cmp eq 6574683000', tcp, 'payload network+12 1; cmp eq 0a'],
      ...['payload network+16 4; cmp eq 0a010203', accept],
    ].join('; '),
  ),
  row('! -s 10.16.0.0/12 -j ACCEPT', only4, `payload network+12 4; and fff00000; cmp neq 0a100000; ${accept}`),
  row('-d fd00::/16 -j ACCEPT', only6, `payload network+24 2; cmp eq fd00; ${accept}`),
  row(
    '-s fd00::/9 -j ACCEPT',
    only6,
    `payload network+8 16; and ff80${'00'.repeat(14)}; cmp eq fd00${'00'.repeat(14)}; ${accept}`,
  ),
  row(
    '-p tcp -m tcp --dport 80 -j ACCEPT',
    all,
    `${tcp}; match tcp 0 16 @2:ffff @4:5000 @6:5000; ${accept}`,
    `${tcp}; payload transport+2 2; cmp eq 0050; ${accept}`,
  ),
  row(
    '-p udp -m udp ! --sport 53 -j ACCEPT',
    all,
    `${udp}; match udp 0 16 @0:3500 @2:3500 @6:ffff @8:01; ${accept}`,
    `${udp}; payload transport+0 2; cmp neq 0035; ${accept}`,
  ),
  row(
    '-p udp -m udp --dport 1000:2000 -j ACCEPT',
    all,
    `${udp}; match udp 0 16 @2:ffff @4:e803 @6:d007; ${accept}`,
    `${udp}; payload transport+2 2; range eq 03e8 07d0; ${accept}`,
  ),
  row(
    '-p tcp -m tcp ! --dport 1000:2000 -j ACCEPT',
    all,
    `${tcp}; match tcp 0 16 @2:ffff @4:e803 @6:d007 @11:02; ${accept}`,
    `${tcp}; payload transport+2 2; range neq 03e8 07d0; ${accept}`,
  ),
  row(
    '-p tcp -m tcp --sport 0:80 -j ACCEPT',
    all,
    `${tcp}; match tcp 0 16 @2:5000 @6:ffff; ${accept}`,
    `${tcp}; payload transport+0 2; cmp lte 0050; ${accept}`,
  ),
  row(
    '-p tcp -m tcp --sport 1 --dport 2 -j ACCEPT',
    all,
    `${tcp}; match tcp 0 16 @0:0100 @2:0100 @4:0200 @6:0200; ${accept}`,
    `${tcp}; payload transport+0 4; cmp eq 00010002; ${accept}`,
  ),
  row(
    '-p udp -m udp ! --sport 1 ! --dport 2 -j ACCEPT',
    all,
    `${udp}; match udp 0 16 @0:0100 @2:0100 @4:0200 @6:0200 @8:03; ${accept}`,
    // The comparison matches if one port differs, but the rule's text requires both.
    `${udp}; payload transport+0 4; cmp neq 00010002; ${accept}`,
  ),
  row(
    '-p tcp -m tcp --sport 1 ! --dport 2 --tcp-flags SYN,ACK SYN -j ACCEPT',
    all,
    `${tcp}; match tcp 0 16 @0:0100 @2:0100 @4:0200 @6:0200 @9:12 @10:02 @11:02; ${accept}`,
    [
      ...[tcp, 'payload transport+13 1; and 12; cmp eq 02'],
      ...['payload transport+0 2; cmp eq 0001', 'payload transport+2 2; cmp neq 0002', accept],
    ].join('; '),
  ),
  row(
    '-p tcp -m tcp ! --tcp-flags FIN,SYN,RST,ACK SYN -j ACCEPT',
    all,
    `${tcp}; match tcp 0 16 @2:ffff @6:ffff @9:17 @10:02 @11:04; ${accept}`,
    `${tcp}; payload transport+13 1; and 17; cmp neq 02; ${accept}`,
  ),
  row(
    '-p sctp -m sctp ! --sport 5:6 --dport 80 -j ACCEPT',
    all,
    `proto 84; match sctp 0 296 @0:5000 @2:5000 @4:0500 @6:0600 @268:ff0000ff0000ff0000ff @284:03 @288:01; ${accept}`,
  ),
  row('-p dccp -m dccp --dport 80 -j ACCEPT', all, `proto 21; match dccp 0 16 @0:5000 @2:5000 @8:02; ${accept}`),
  row('-p tcp -m tcp -j ACCEPT', all, `${tcp}; match tcp 0 16 @2:ffff @6:ffff; ${accept}`),
  row(
    '-p tcp -m mark --mark 0x1/0x3 -m tcp --dport 80 -j ACCEPT',
    all,
    `${tcp}; match mark 1 16 @0:01 @4:03; match tcp 0 16 @2:ffff @4:5000 @6:5000; ${accept}`,
    `${tcp}; meta mark; and 03000000; cmp eq 01000000; payload transport+2 2; cmp eq 0050; ${accept}`,
  ),
  row(
    '-m mark ! --mark 0x539 -j ACCEPT',
    all,
    `match mark 1 16 @0:3905 @4:ffffffff @8:01; ${accept}`,
    `meta mark; cmp neq 39050000; ${accept}`,
  ),
  row('-j NFLOG', all, 'counter; target NFLOG 0 80', 'counter; log'),
  row(
    '-j NFLOG --nflog-prefix "a b" --nflog-group 7 --nflog-size 0 --nflog-threshold 9',
    all,
    'counter; target NFLOG 0 80 @4:0700 @6:0900 @8:01 @12:612062',
    'counter; log prefix=a_b group=7 snaplen=0 qthreshold=9',
  ),
  row('-m limit --limit 3/min -j ACCEPT', all, `limit 3 60 5; ${accept}`),
  row('-m limit --limit 7/day --limit-burst 77 -j ACCEPT', all, `limit 7 86400 77; ${accept}`),
]

/** Decodes a test case for one iptables version. Bytes of xt modules are `@offset:hex`. */
export function expressionsOf({ old, native = old }: DialectRow, dialect: Dialect, family: Family): Expression[] {
  const notation = dialect === '1.8.7' ? old : native
  return notation.split('; ').flatMap((step) => {
    const [word = '', ...rest] = step.split(' ')
    return stepOf(word, rest, dialect === '1.8.11', family)
  })
}

function stepOf(word: string, rest: readonly string[], latest: boolean, family: Family): Expression[] {
  const [first = '', second = '', third = ''] = rest
  const data = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))
  switch (word) {
    case 'proto':
    case 'not-proto':
      return [
        latest && family === 'ipv4'
          ? { name: 'payload', dreg: 1, base: 'network', offset: 9, len: 1 }
          : { name: 'meta', key: 'l4proto', dreg: 1 },
        { name: 'cmp', sreg: 1, op: word === 'proto' ? 'eq' : 'neq', data: data(first) },
      ]
    case 'any':
      return latest ? [] : stepOf('meta', rest, latest, family)
    case 'meta':
      return [{ name: 'meta', key: first as 'mark', dreg: 1 }]
    case 'payload': {
      const [base, offset] = first.split('+')
      return [{ name: 'payload', dreg: 1, base: base as 'network', offset: Number(offset), len: Number(second) }]
    }
    case 'and': {
      const mask = data(first)
      return [{ name: 'bitwise', sreg: 1, dreg: 1, len: mask.length, mask, xor: new Uint8Array(mask.length) }]
    }
    case 'cmp':
      return [{ name: 'cmp', sreg: 1, op: first as 'eq', data: data(second) }]
    case 'range':
      return [{ name: 'range', sreg: 1, op: first as 'eq', from: data(second), to: data(third) }]
    case 'match':
    case 'target':
      return [{ name: word, module: first, revision: Number(second), info: structure(rest.slice(2)) }]
    case 'limit':
      return [{ name: 'limit', rate: BigInt(first), unit: BigInt(second), burst: Number(third) }]
    case 'log': {
      const given = new Map(rest.map((each) => each.split('=') as [string, string]))
      const number = (name: string) => (given.has(name) ? { [name]: Number(given.get(name)) } : {})
      const prefix = given.get('prefix')?.replaceAll('_', ' ')
      return [
        {
          ...{ name: 'log', group: 0 },
          ...(prefix === undefined ? {} : { prefix }),
          ...number('group'),
          ...number('snaplen'),
          ...number('qthreshold'),
        },
      ]
    }
    case 'jump':
    case 'goto':
      return [{ name: 'immediate', dreg: 0, data: { verdict: word, chain: first } }]
    case 'counter':
      return [{ name: 'counter' }]
    default:
      return [{ name: 'immediate', dreg: 0, data: { verdict: word as 'accept' } }]
  }
}

function structure([size = '', ...pieces]: readonly string[]): Uint8Array {
  const bytes = new Uint8Array(Number(size))
  for (const piece of pieces) {
    const [at, hex = ''] = piece.slice(1).split(':')
    bytes.set(Buffer.from(hex, 'hex'), Number(at))
  }
  return bytes
}

import type { NetnsTarget } from '@cni/netns'
import { decodeAttributes } from '@cni/netns/netlink'
import { openNft, snapshot } from '@cni/nftables/wire'

/** Netlink attributes that the kernel generates, by kind of nf_tables object. Comparisons ignore these attributes. */
const itsOwn: Readonly<Record<string, readonly number[]>> = { table: [3, 4], chain: [2], rule: [3, 6], set: [16, 19] }

/** Length of the header `nfgenmsg`, which precedes the attributes of a netlink message. */
const HEADER = 4
const ELEMENTS = 3

/** Bytes and packets of a rule's counter, which differ between runs. */
const COUNTED = /(636f756e746572001c0002000c000100)[0-9a-f]{16}(0c000200)[0-9a-f]{16}/g
const ZERO = '0'.repeat(16)

/** Dumps all nf_tables objects of a namespace in hex, without generated attributes and counters. */
export function kernelDump(target: NetnsTarget): readonly string[] {
  using nft = openNft(target)
  const lines: string[] = []
  const elements: string[] = []
  for (const { kind, body } of snapshot(nft).messages) {
    const given = decodeAttributes(Buffer.from(body), HEADER).filter(([type]) => itsOwn[kind]?.includes(type) !== true)
    if (kind !== 'element') {
      lines.push([kind, ...given.map(hex)].join(' ').replace(COUNTED, `$1${ZERO}$2${ZERO}`))
      continue
    }
    const names = given.filter(([type]) => type !== ELEMENTS).map(hex)
    const list = given.find(([type]) => type === ELEMENTS)?.[1] ?? Buffer.alloc(0)
    elements.push(...decodeAttributes(list).map((each) => ['element', ...names, hex(each)].join(' ')))
  }
  return [...lines, ...elements.sort()]
}

const hex = ([type, value]: readonly [number, Buffer]): string => `${type}=${value.toString('hex')}`

import type { Netns } from '@cni/netns'
import { decodeAttributes, readBe32, readCString } from '@cni/netns/netlink'
import {
  elementsOf,
  isNftError,
  type Nft,
  type NftChain,
  type NftElement,
  type NftError,
  type NftSet,
  openNft,
  type SetName,
  setsOf,
  type TableName,
} from '@cni/nftables/wire'
import { ruleText, valueText } from './nft-text.ts'

/** Reason why the suite cannot read a namespace's nf_tables rules. `undefined` if the rules are readable. */
export function unreadableReason(open: () => Nft): string | undefined {
  try {
    using nft = open()
    nft.generation()
    return undefined
  } catch (error) {
    if (isUnsupported(error)) return error.message
    throw error
  }
}

/** nf_tables rules and objects of a namespace as lines of text. Empty if nf_tables cannot be read. */
export async function nftLines(where: Netns): Promise<string[]> {
  try {
    using nft = openNft(where)
    return await linesOf(nft)
  } catch (error) {
    if (isUnsupported(error)) return []
    throw error
  }
}

const isUnsupported = (error: unknown): error is NftError => isNftError(error) && error.code === 'UNSUPPORTED'

/**
 * Text of the nf_tables ruleset, one line for each object, without counters and handles.
 *
 * @example
 * linesOf(nft) // ['nft table ip nat', 'nft table ip nat / chain X', 'nft table ip nat / chain X / counter, return']
 */
export function linesOf(nft: Nft): Promise<string[]> {
  return nft.read(() => {
    const sets = setsOf(nft)
    const contents = new Map(sets.map((set) => [keyOf(set), elementsOf(nft, set).map(elementText)]))
    const setText = (set: SetName) => {
      const anonymous = sets.some((each) => keyOf(each) === keyOf(set) && isAnonymous(each))
      return anonymous ? `{ ${contents.get(keyOf(set))?.sort().join(', ')} }` : `@${set.set}`
    }
    return [
      ...nft
        .tables()
        .map(
          (table) => `${tableText(table)}${table.flags === undefined ? '' : ` flags ${table.flags}`}${noteOf(table)}`,
        ),
      ...nft.chains().map((chain) => `${tableText(chain)} / chain ${chain.chain}${baseText(chain)}${noteOf(chain)}`),
      ...sets
        .filter((set) => !isAnonymous(set))
        .flatMap((set) => {
          const place = `${tableText(set)} / set ${set.set}`
          return [`${place}${kindText(set)}`, ...(contents.get(keyOf(set)) ?? []).map((text) => `${place} / ${text}`)]
        }),
      ...nft.bytes('object').map((body) => otherLine('object', body)),
      ...nft.bytes('flowtable').map((body) => otherLine('flowtable', body)),
      ...nft.rules().map((rule) => {
        const text = ruleText(rule.expressions, (set) => setText({ ...rule, set }))
        return `${tableText(rule)} / chain ${rule.chain} / ${text}${noteOf(rule)}`
      }),
    ].filter((line) => !isEmptyShell(line))
  })
}

const tableText = ({ family, table }: TableName) => `nft table ${family} ${table}`
const keyOf = ({ family, table, set }: SetName) => JSON.stringify([family, table, set])
const isAnonymous = ({ flags }: NftSet) => flags?.includes('anonymous') ?? false
const noteOf = ({ comment }: { readonly comment?: string }) => (comment === undefined ? '' : ` comment "${comment}"`)

function baseText({ base, policy = 'accept' }: NftChain): string {
  if (base === undefined) return ''
  const { type, hook, priority, device } = base
  return ` type ${type} hook ${hook}${device === undefined ? '' : ` device ${device}`} priority ${priority} policy ${policy}`
}

function kindText({ flags = [], keyType, keyLength, dataType, size, timeout, comment }: NftSet): string {
  const said = { type: keyType, length: keyLength, data: dataType, size, timeout, comment }
  const fields = Object.entries(said).flatMap(([key, value]) => (value === undefined ? [] : [`${key} ${value}`]))
  return ` ${[...fields, ...flags].join(' ')}`
}

function elementText({ key, keyEnd, data, flags = [], comment }: NftElement): string {
  const range = keyEnd === undefined ? '' : `-${valueText(keyEnd)}`
  const mapped = data === undefined ? '' : ` : ${valueText(data)}`
  return (
    [`${valueText(key)}${range}${mapped}`, ...flags].join(' ').trimStart() + noteOf({ ...(comment && { comment }) })
  )
}

const families: Readonly<Record<number, string>> = { 1: 'inet', 2: 'ip', 3: 'arp', 5: 'netdev', 7: 'bridge', 10: 'ip6' }
const NFGENMSG = 4

/** Line for an nf_tables flowtable or named object, without counts. */
function otherLine(kind: 'object' | 'flowtable', body: Buffer): string {
  const attributes = new Map(decodeAttributes(body, NFGENMSG))
  const family = families[body[0] ?? 0] ?? '?'
  const type = kind === 'object' ? ` type ${readBe32(attributes.get(3))}` : ''
  return `nft table ${family} ${readCString(attributes.get(1))} / ${kind} ${readCString(attributes.get(2))}${type}`
}

/** True for an empty built-in table or chain, which iptables-nft creates at first use and cannot remove. */
function isEmptyShell(line: string): boolean {
  const chain = '(PREROUTING|INPUT|FORWARD|OUTPUT|POSTROUTING) type \\S+ hook \\S+ priority \\S+ policy accept'
  return new RegExp(`^nft table ip6? (filter|nat|mangle|raw|security)( / chain ${chain})?$`).test(line)
}

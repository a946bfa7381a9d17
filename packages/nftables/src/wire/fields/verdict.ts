import { decodeAttributes, readCString } from '@cni/netns/netlink'
import { type AttributeWriter, written } from './writer.ts'

/** Verdict of a rule, or of an element of a verdict map. `continue` goes on with the next rule. */
export type Verdict =
  | { readonly verdict: 'accept' | 'drop' | 'return' | 'continue' | 'break' }
  | { readonly verdict: 'jump' | 'goto'; readonly chain: string }

const codes = new Map([
  ['drop', 0],
  ['accept', 1],
  ['continue', -1],
  ['break', -2],
  ['jump', -3],
  ['goto', -4],
  ['return', -5],
] as const)

const NFTA_DATA_VERDICT = 2
const NFTA_VERDICT_CODE = 1
const NFTA_VERDICT_CHAIN = 2

/** Writes a verdict as netlink attributes inside a data attribute. Returns false for an invalid verdict. */
export function writeVerdict(writer: AttributeWriter, verdict: Verdict): boolean {
  const code = codes.get(verdict.verdict)
  if (code === undefined) return false
  const at = writer.open(NFTA_DATA_VERDICT)
  writer.u32(NFTA_VERDICT_CODE, code)
  if (verdict.verdict === 'jump' || verdict.verdict === 'goto') {
    if (typeof verdict.chain !== 'string' || verdict.chain.includes('\0')) return false
    writer.text(NFTA_VERDICT_CHAIN, verdict.chain)
  }
  writer.close(at)
  return true
}

/**
 * Decodes a verdict from netlink attributes. Returns `undefined` for attributes that are not the encoding of a verdict.
 */
export function verdictIn(nested: Buffer): Verdict | undefined {
  const [only] = decodeAttributes(nested)
  if (only?.[0] !== NFTA_DATA_VERDICT) return undefined
  const attributes = new Map(decodeAttributes(only[1]))
  const code = attributes.get(NFTA_VERDICT_CODE)
  const chain = readCString(attributes.get(NFTA_VERDICT_CHAIN))
  const found = code?.length === 4 ? verdictOf(code.readInt32BE(0), chain) : undefined
  return found !== undefined && nested.equals(written((writer) => writeVerdict(writer, found))) ? found : undefined
}

/** Verdict for a verdict number of the kernel. */
export function verdictOf(code: number, chain: string | undefined): Verdict | undefined {
  for (const [word, number] of codes) {
    if (number !== code) continue
    if (word !== 'jump' && word !== 'goto') return { verdict: word }
    return chain === undefined ? undefined : { verdict: word, chain }
  }
  return undefined
}

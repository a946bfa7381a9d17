import { type Netns, netns } from '@cni/netns'
import { PATH } from './peers.ts'

/** Compared parts of a namespace. Each part is text with one item a line. */
export const parts = [
  'legacy ipv4',
  'legacy ipv6',
  'nft ipv4',
  'nft ipv6',
  'native',
  'rules and routes of ipv4',
  'rules and routes of ipv6',
  'addresses of lo',
] as const

/** The name of one part of a namespace. */
export type Part = (typeof parts)[number]

/** The contents of a namespace. */
export type State = Readonly<Record<Part, string>>

const BOUNDARY = '--8<--'
const READ = [
  'iptables-legacy-save',
  'ip6tables-legacy-save',
  'iptables-nft-save 2>/dev/null',
  'ip6tables-nft-save 2>/dev/null',
  'nft --stateless list ruleset inet',
  "printf 'rule show\\nroute show table all\\n' | ip -4 -batch -",
  "printf 'rule show\\nroute show table all\\n' | ip -6 -batch -",
  'ip -o address show dev lo',
].join(`\necho '${BOUNDARY}'\n`)

/** Reads a namespace with the system's programs, both back ends of iptables included. */
export async function readState(target: Netns): Promise<State> {
  const { stdout } = await netns.exec(target, ['sh', '-ec', READ], { env: { PATH } })
  const texts = stdout.split(`${BOUNDARY}\n`)
  const at = (part: Part): string => {
    const text = texts[parts.indexOf(part)] ?? ''
    return / ipv[46]$/.test(part) && !part.startsWith('rules') ? tables(text) : text.replace(/ +$/gm, '')
  }
  return {
    'legacy ipv4': at('legacy ipv4'),
    'legacy ipv6': at('legacy ipv6'),
    'nft ipv4': at('nft ipv4'),
    'nft ipv6': at('nft ipv6'),
    native: at('native'),
    'rules and routes of ipv4': at('rules and routes of ipv4'),
    'rules and routes of ipv6': at('rules and routes of ipv6'),
    'addresses of lo': at('addresses of lo'),
  }
}

/**
 * The output of iptables-save without meaningless parts: comments, counters, the order of tables and chains, and empty
 * tables. Reading rules already creates empty tables.
 */
export function tables(saved: string): string {
  return saved
    .split(/^(?=\*)/m)
    .filter((text) => text.startsWith('*'))
    .map(table)
    .filter((text) => text !== '')
    .sort()
    .join('')
}

function table(text: string): string {
  const lines = text.split('\n').filter((line) => line !== '' && line !== 'COMMIT' && !line.startsWith('#'))
  const chains = lines.filter((line) => line.startsWith(':')).map((line) => line.replace(/ \[\d+:\d+\]$/, ''))
  const rules = lines.filter((line) => line.startsWith('-'))
  if (rules.length === 0 && chains.every((line) => line.endsWith(' ACCEPT'))) return ''
  const chainOf = (line: string): string => line.split(' ')[1] ?? ''
  // The sort is stable: it keeps the order inside a chain.
  const inChains = rules.sort((a, b) => (chainOf(a) < chainOf(b) ? -1 : chainOf(a) > chainOf(b) ? 1 : 0))
  return [...lines.slice(0, 1), ...chains.filter((line) => !line.endsWith(' ACCEPT')).sort(), ...inChains, ''].join(
    '\n',
  )
}

/** True if a field is a part of a namespace. */
export function isPart(field: string): field is Part {
  return parts.some((part) => part === field)
}

/**
 * True if two back ends hold the same rules. Each prints options in its own way, so only the number of rules per chain
 * counts.
 */
export const sameRules = (a: string, b: string): boolean =>
  a.match(/^-A ISTIO\w+/gm)?.join() === b.match(/^-A ISTIO\w+/gm)?.join()

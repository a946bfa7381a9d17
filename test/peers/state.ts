import { type Netns, netns } from '@cni/netns'
import { PATH } from './peers.ts'

/** Parts of a network namespace that tests compare. Each part is text with one item on each line. */
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

/** Name of a compared part of a network namespace, such as `nft ipv4`. */
export type Part = (typeof parts)[number]

/** State of a network namespace: the text of each compared part. */
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

/** Reads the state of a network namespace with the system's programs, including both back ends of iptables. */
export async function readState(target: Netns): Promise<State> {
  const { stdout } = await netns.exec(target, ['sh', '-ec', READ], { env: { PATH } })
  const [legacy4, legacy6, nft4, nft6, native, routes4, routes6, lo] = stdout.split(`${BOUNDARY}\n`)
  return {
    'legacy ipv4': tables(legacy4),
    'legacy ipv6': tables(legacy6),
    'nft ipv4': tables(nft4),
    'nft ipv6': tables(nft6),
    native: withoutTrailingBlanks(native),
    'rules and routes of ipv4': withoutTrailingBlanks(routes4),
    'rules and routes of ipv6': withoutTrailingBlanks(routes6),
    'addresses of lo': withoutTrailingBlanks(lo),
  }
}

const withoutTrailingBlanks = (text = ''): string => text.replace(/ +$/gm, '')

/** Removes comments, counters, order and empty tables from the output of iptables-save. */
function tables(saved = ''): string {
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
  // Sorts the rules by chain. The sort is stable, so the order inside a chain stays.
  const inChains = rules.sort((a, b) => chainOf(a).localeCompare(chainOf(b)))
  return [...lines.slice(0, 1), ...chains.filter((line) => !line.endsWith(' ACCEPT')).sort(), ...inChains, ''].join(
    '\n',
  )
}

/** True if the compared result is a part of a network namespace, such as `nft ipv4`. */
export function isPart(field: string): field is Part {
  return parts.some((part) => part === field)
}

/** True if two rulesets have equally many rules per chain. Ignores the rules' texts, which differ by back end. */
export const sameRules = (a: string, b: string): boolean =>
  a.match(/^-A ISTIO\w+/gm)?.join() === b.match(/^-A ISTIO\w+/gm)?.join()

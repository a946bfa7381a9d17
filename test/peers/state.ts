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

/** Removes comments, counters, order and empty tables from the output of iptables-save. */
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
  // Sorts the rules by chain. The sort is stable, so the order inside a chain stays.
  const inChains = rules.sort((a, b) => (chainOf(a) < chainOf(b) ? -1 : chainOf(a) > chainOf(b) ? 1 : 0))
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

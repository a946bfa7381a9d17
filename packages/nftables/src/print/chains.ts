import { escapeUnsafe } from '@cni/types'
import type { Family, Hook } from '../wire/family.ts'
import type { BaseChain } from '../wire/specs.ts'

/** Text line with type, hook, priority and policy of a base chain. */
export function baseText(base: BaseChain, policy: 'accept' | 'drop' | undefined, family: Family): string {
  const { type, hook, priority, device } = base
  const at = device === undefined ? '' : ` device "${escapeUnsafe(device)}"`
  const end = policy === undefined ? '' : ` policy ${policy};`
  return `type ${type} hook ${hook}${at} priority ${priorityText(priority, family, hook)};${end}`
}

/** Name that nft prints instead of a priority number. Without `hook`, the name is valid at all hooks. */
interface Named {
  readonly name: string
  readonly priority: number
  readonly hook?: Hook
}

const ipNames: readonly Named[] = [
  { name: 'raw', priority: -300 },
  { name: 'mangle', priority: -150 },
  { name: 'dstnat', priority: -100, hook: 'prerouting' },
  { name: 'filter', priority: 0 },
  { name: 'security', priority: 50 },
  { name: 'srcnat', priority: 100, hook: 'postrouting' },
]
const linkNames: readonly Named[] = [{ name: 'filter', priority: 0 }]
const names: Readonly<Record<Family, readonly Named[]>> = {
  ...{ ip: ipNames, ip6: ipNames, inet: ipNames, arp: linkNames, netdev: linkNames },
  bridge: [
    { name: 'dstnat', priority: -300, hook: 'prerouting' },
    { name: 'filter', priority: -200 },
    { name: 'out', priority: 100, hook: 'output' },
    { name: 'srcnat', priority: 300, hook: 'postrouting' },
  ],
}

/** Largest difference from a named priority at which nft still prints the name, as in `filter + 5`. */
const NEAR = 10

function priorityText(priority: number, family: Family, hook: Hook): string {
  for (const named of names[family]) {
    const distance = priority - named.priority
    if (Math.abs(distance) > NEAR || (named.hook !== undefined && named.hook !== hook)) continue
    if (distance === 0) return named.name
    return `${named.name} ${distance > 0 ? '+' : '-'} ${Math.abs(distance)}`
  }
  return String(priority)
}

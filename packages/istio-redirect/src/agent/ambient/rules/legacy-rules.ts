import { iptables } from '@cni/iptables'
import { type Family, isBuiltin, type Snapshot, type Table } from '@cni/iptables/rules'
import { type NetnsTarget, readFile } from '@cni/netns'

/** True if another program has legacy iptables rules. Creates no table in the kernel. */
export async function hasOthersLegacyRules(netns: NetnsTarget): Promise<boolean> {
  const snapshot = await legacySnapshot(netns)
  return [snapshot?.ipv4, snapshot?.ipv6].some((family) =>
    [...(family?.tables ?? [])].some(([table, chains]) =>
      [...chains].some(([name, chain]) => isOthers(table, name, chain)),
    ),
  )
}

/** Reads the legacy iptables tables of a network namespace. Creates no table in the kernel. */
export async function legacySnapshot(netns: NetnsTarget): Promise<Snapshot | undefined> {
  const families = await familiesWithTables(netns)
  return families.length === 0 ? undefined : iptables(netns, { backend: 'iptables-legacy', families }).snapshot()
}

/**
 * True if a network namespace has legacy iptables tables. If so, the kernel's count of nf_tables changes does not show
 * every change of the rules.
 */
export const hasLegacyTables = async (netns: NetnsTarget): Promise<boolean> =>
  (await familiesWithTables(netns)).length > 0

// internal

/**
 * Lists the IP families for which the namespace has legacy iptables tables. Reads the same files as
 * `iptables-legacy-save`.
 */
async function familiesWithTables(netns: NetnsTarget): Promise<Family[]> {
  const found: Family[] = []
  for (const [family, stem] of [
    ['ipv4', 'ip'],
    ['ipv6', 'ip6'],
  ] as const) {
    const names = await readFile(netns, `/proc/net/${stem}_tables_names`)
    if ((names ?? '').trim() !== '') found.push(family)
  }
  return found
}

interface FoundChain {
  readonly policy?: string | undefined
  readonly rules: readonly { readonly target: string }[]
}

function isOthers(table: Table, name: string, { policy, rules }: FoundChain): boolean {
  if (ISTIO_CHAIN.test(name)) return false
  if (!isBuiltin(table, name) || (policy !== undefined && policy !== 'ACCEPT')) return true
  return rules.some(({ target }) => !ISTIO_CHAIN.test(target))
}

const ISTIO_CHAIN = /^ISTIO_/

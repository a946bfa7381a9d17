import { IptablesError } from '../errors.ts'
import { parseSave, type SavedTables } from '../parse/saved-tables.ts'
import { type Family, families, isBuiltin } from '../rules/model.ts'
import { packageHint } from './failure.ts'
import type { IptablesPort } from './port.ts'

/** The two implementations of iptables in the kernel. Each has its own rules; both see every packet. */
export type BackendKind = 'legacy' | 'nft'

/** A back end and the names under which its programs are installed here. */
export interface Backend {
  readonly kind: BackendKind
  restore(family: Family): string
  save(family: Family): string
}

/** Runs a program that only reads, and returns its output. */
export type Reader = (argv: readonly [string, ...string[]], family: Family) => Promise<string>

/** The back end to write to, and the one that may hold rules of ours as well. */
export interface Backends {
  readonly chosen: Backend
  readonly other?: Backend
  /** Whether the legacy back end has tables in this namespace; without tables it has no rules. */
  readonly legacyTables: boolean
}

/**
 * Chooses the back end. `auto`: legacy if it holds rules in this namespace, else what the node's `iptables-restore` is.
 * That the kernel has no legacy table here is a file read; only when it has one (reading a table with a legacy program
 * is enough to create it) a process looks for rules in it, until it found some.
 */
export async function chooseBackend(port: IptablesPort, wanted: BackendKind | 'auto', read: Reader): Promise<Backends> {
  const names = await Promise.all(families.map((family) => port.read(namesFile(family))))
  const tables = families.filter((_, index) => (names[index] ?? '').trim() !== '')
  const legacyTables = tables.length > 0
  if (wanted !== 'auto') {
    const chosen = await named(port, wanted, read)
    if (chosen === undefined) throw noBinary(`iptables-${wanted}-restore`)
    const other = wanted === 'nft' && legacyTables ? await named(port, 'legacy', read) : undefined
    return { chosen, legacyTables, ...(other === undefined ? undefined : { other }) }
  }
  const plain = await plainBackend(port, read)
  if (plain === undefined) throw noBinary('iptables-restore')
  if (!legacyTables || plain.kind === 'legacy') return { chosen: plain, legacyTables }
  const legacy = await named(port, 'legacy', read)
  if (legacy === undefined) return { chosen: plain, legacyTables }
  const same = port.probed?.()?.tables === names.join()
  const inUse = same || (await holdsLegacy(port, tables, legacy, read))
  // Only that it is in use is kept: someone may begin to use it at any time.
  if (inUse && !same) port.remember?.({ tables: names.join() })
  return { chosen: inUse ? legacy : plain, legacyTables, ...(inUse ? { other: plain } : undefined) }
}

/** The file that lists the tables of the legacy back end in a namespace. */
export const namesFile = (family: Family): string =>
  `/proc/thread-self/net/${family === 'ipv4' ? 'ip' : 'ip6'}_tables_names`

/** The error for a program that is not installed. */
export function noBinary(program: string): IptablesError {
  return new IptablesError('NO_BINARY', `${program} is not installed or not in PATH; ${packageHint}`)
}

// internal

const backend = (kind: BackendKind, infix: string): Backend => ({
  kind,
  restore: (family) => `${stem(family)}${infix}-restore`,
  save: (family) => `${stem(family)}${infix}-save`,
})

const stem = (family: Family) => (family === 'ipv4' ? 'iptables' : 'ip6tables')

/** The back end of a given kind: under its own name, or as the node's plain programs. */
async function named(port: IptablesPort, kind: BackendKind, read: Reader): Promise<Backend | undefined> {
  if (port.find(`iptables-${kind}-restore`) !== undefined) return backend(kind, `-${kind}`)
  const plain = await plainBackend(port, read)
  return plain?.kind === kind ? plain : undefined
}

/** What the node calls `iptables-restore`: told by the file behind the links, by its version only for a wrapper. */
async function plainBackend(port: IptablesPort, read: Reader): Promise<Backend | undefined> {
  const path = port.find('iptables-restore')
  if (path === undefined) {
    const kind = (['nft', 'legacy'] as const).find((each) => port.find(`iptables-${each}-restore`) !== undefined)
    return kind === undefined ? undefined : backend(kind, `-${kind}`)
  }
  const file = port.resolve(path).split('/').at(-1) ?? ''
  if (file.includes('nft')) return backend('nft', '')
  if (file.includes('legacy') || file === 'xtables-multi') return backend('legacy', '')
  const version = await read(['iptables-restore', '--version'], 'ipv4')
  return backend(version.includes('nf_tables') ? 'nft' : 'legacy', '')
}

async function holdsLegacy(
  port: IptablesPort,
  having: readonly Family[],
  legacy: Backend,
  read: Reader,
): Promise<boolean> {
  const readable = having.filter((family) => port.find(legacy.save(family)) !== undefined)
  const texts = readable.map(async (family) => parseSave(await read([legacy.save(family)], family), family))
  return (await Promise.all(texts)).some(holdsRules)
}

function holdsRules(snapshot: SavedTables): boolean {
  return [...snapshot.tables].some(([table, chains]) =>
    [...chains].some(([name, { policy, rules }]) => {
      return rules.length > 0 || !isBuiltin(table, name) || (policy !== undefined && policy !== 'ACCEPT')
    }),
  )
}

import { IptablesError } from '../errors.ts'
import type { IptablesBackend } from '../iptables-backend.ts'
import { type Family, families } from '../rules/model.ts'
import { packageHint } from './hints.ts'
import { namesFile, plainPrograms } from './plain-programs.ts'
import type { IptablesPort } from './port.ts'
import { savesRules } from './saves-rules.ts'

/** Selects netlink or the iptables programs for the nft back end. */
export type Programs = 'auto' | 'always' | 'never'

/** Back end of iptables, and the names of its programs on this node. */
export interface Backend {
  readonly kind: IptablesBackend
  /** True if rules of this back end are read and written by netlink where possible. */
  readonly netlink: boolean
  restore(family: Family): string
  save(family: Family): string
}

/** Functions to find out which iptables back end a namespace uses. */
export interface Probe {
  /** Runs a program that only reads rules, and returns the program's output. */
  read(argv: readonly [string, ...string[]], family: Family): Promise<string>
  /** True if netlink can read and write the rules of the nft back end. */
  reachesNetlink(): boolean
}

/** Back ends of a namespace. `other` may still hold rules of the ruleset. */
export interface Backends {
  readonly chosen: Backend
  readonly other?: Backend
  /** True if the legacy back end has tables. Without tables, it has no rules. */
  readonly legacyTables: boolean
}

/** Chooses the back end to which calls for a namespace write. */
export async function chooseBackend(
  port: IptablesPort,
  { backend: requested, programs }: { readonly backend: IptablesBackend | 'auto'; readonly programs: Programs },
  probe: Probe,
): Promise<Backends> {
  const nft = (infix: string) => backend('iptables-nft', infix, probe.reachesNetlink())
  const nodes = { port, probe, nft }
  const names = await Promise.all(families.map((family) => port.read(namesFile(family))))
  const tables = families.filter((_, index) => (names[index] ?? '').trim() !== '')
  const legacyTables = tables.length > 0
  if (programs === 'never') {
    const chosen = nft('-nft')
    if (requested === 'iptables-legacy' || !chosen.netlink) throw needsProgram(requested === 'iptables-legacy')
    return { chosen, legacyTables }
  }
  if (requested !== 'auto') {
    const chosen = await findBackend(nodes, requested)
    if (chosen === undefined) throw noBinary(`${requested}-restore`)
    // The back end that the option did not choose may hold old rules.
    const other =
      requested === 'iptables-legacy'
        ? netlinkAlone(nodes)
        : legacyTables
          ? await findBackend(nodes, 'iptables-legacy')
          : undefined
    return { chosen, legacyTables, ...(other === undefined ? undefined : { other }) }
  }
  const plain = await plainBackend(nodes)
  if (plain === undefined) throw noBinary('iptables-restore')
  if (!legacyTables || plain.kind === 'iptables-legacy') return { chosen: plain, legacyTables }
  const legacy = await findBackend(nodes, 'iptables-legacy')
  if (legacy === undefined) return { chosen: plain, legacyTables }
  const same = port.probed?.()?.tables === names.join()
  const inUse = same || (await holdsLegacy(nodes, tables, legacy))
  // Caches only "legacy holds rules", because other programs may start to use legacy later.
  if (inUse && !same) port.remember?.({ tables: names.join() })
  return { chosen: inUse ? legacy : plain, legacyTables, ...(inUse ? { other: plain } : undefined) }
}

/** Creates the `NO_BINARY` error for an iptables program that is not installed. */
export function noBinary(program: string): IptablesError {
  return new IptablesError('NO_BINARY', `${program} is not installed or not in PATH; ${packageHint}`)
}

// internal

interface Nodes {
  readonly port: IptablesPort
  readonly probe: Probe
  readonly nft: (infix: string) => Backend
}

function needsProgram(legacy: boolean): IptablesError {
  const why = legacy
    ? 'the legacy back end is written by programs only'
    : 'rules cannot be written by netlink here: the namespace belongs to another user namespace, the kernel has no nfnetlink, or the runtime no FFI'
  return new IptablesError('NO_BINARY', `programs: 'never': ${why}`)
}

const backend = (kind: IptablesBackend, infix: string, netlink = false): Backend => ({
  kind,
  netlink,
  restore: (family) => `${stem(family)}${infix}-restore`,
  save: (family) => `${stem(family)}${infix}-save`,
})

const stem = (family: Family) => (family === 'ipv4' ? 'iptables' : 'ip6tables')

/** Finds the programs of a back end. Without programs, nft may use netlink alone. */
async function findBackend(nodes: Nodes, kind: IptablesBackend): Promise<Backend | undefined> {
  if (nodes.port.find(`${kind}-restore`) !== undefined) {
    return kind === 'iptables-nft' ? nodes.nft('-nft') : backend(kind, '-legacy')
  }
  const plain = await plainBackend(nodes)
  return plain?.kind === kind ? plain : kind === 'iptables-nft' ? netlinkAlone(nodes) : undefined
}

/** Back end that the node's plain `iptables-restore` uses. */
async function plainBackend(nodes: Nodes): Promise<Backend | undefined> {
  const { port, probe, nft } = nodes
  const found = plainPrograms(port)
  if (found === 'none') return netlinkAlone(nodes)
  if (found !== 'unknown')
    return found.kind === 'iptables-nft' ? nft(found.infix) : backend('iptables-legacy', found.infix)
  const version = await probe.read(['iptables-restore', '--version'], 'ipv4')
  return version.includes('nf_tables') ? nft('') : backend('iptables-legacy', '')
}

/** The nft back end on a node without iptables programs: netlink is sufficient. */
function netlinkAlone({ nft }: Nodes): Backend | undefined {
  const found = nft('-nft')
  return found.netlink ? found : undefined
}

async function holdsLegacy({ port, probe }: Nodes, having: readonly Family[], legacy: Backend): Promise<boolean> {
  const readable = having.filter((family) => port.find(legacy.save(family)) !== undefined)
  const texts = readable.map(async (family) => savesRules(await probe.read([legacy.save(family)], family), family))
  return (await Promise.all(texts)).some(Boolean)
}

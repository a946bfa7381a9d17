import { type ConfFacts, confFacts } from './conf-facts.ts'
import { compareNames, isConfName } from './conf-name.ts'

/** Bytes of a file in a CNI network folder, or the read error. */
export type ReadFile = Uint8Array | { readonly unreadable: string }

/**
 * Content of a CNI network folder (`/etc/cni/net.d`): files by name. Files of sub-folders have the name `folder/name`.
 */
export type NetFolder = ReadonlyMap<string, ReadFile>

/** A configuration file that a container runtime would load. */
export interface Candidate {
  readonly name: string
  /** Types of the plugins in the configuration file, in order. */
  readonly types: readonly string[]
}

/** Configuration files of a CNI network folder, valid and invalid ones. */
export interface Candidates {
  /** Valid configuration files of the CNI network folder, sorted by name. CRI-O uses the first. */
  readonly valid: readonly Candidate[]
  /** Names of the files that no container runtime can load, each with the reason. Sorted by name. */
  readonly invalid: ReadonlyMap<string, string>
}

/** Lists the configuration files of a CNI network folder as CRI-O and cri-dockerd do. */
export function listCandidates(folder: NetFolder): Candidates {
  return candidatesOf(factsOfFolder(folder))
}

/** Parses each file of a CNI network folder. Searches the `delegates` for plugins with the given `type`. */
export function factsOfFolder(folder: NetFolder, type?: string): Map<string, ConfFacts> {
  return new Map([...folder].map(([name, file]) => [name, factsOf(name, file, type)]))
}

/**
 * Separates parsed configuration files into valid and invalid files. No container runtime can load the invalid files.
 */
export function candidatesOf(facts: ReadonlyMap<string, ConfFacts>): Candidates {
  const valid: Candidate[] = []
  const invalid = new Map<string, string>()
  const inFolders = byFolder(facts)
  for (const name of [...facts.keys()].filter(isTopLevel).sort(compareNames)) {
    const own = facts.get(name)
    if (own === undefined) continue
    const all = [own, ...(inFolders.get(own.folder ?? '') ?? [])]
    const types = all.flatMap((one) => one.types)
    const problem = all.find((one) => one.problem !== undefined)?.problem ?? (types.length === 0 ? EMPTY : undefined)
    if (problem === undefined) valid.push({ name, types })
    else invalid.set(name, problem)
  }
  return { valid, invalid }
}

const EMPTY = 'no plugins in list'

function factsOf(name: string, file: ReadFile, type: string | undefined): ConfFacts {
  return 'unreadable' in file
    ? { types: [], problem: file.unreadable, isUnreadable: true }
    : confFacts(name, file, type)
}

/** Readable `.conf` files in sub-folders of a CNI network folder, by sub-folder. */
function byFolder(facts: ReadonlyMap<string, ConfFacts>): Map<string, ConfFacts[]> {
  const folders = new Map<string, ConfFacts[]>()
  const names = [...facts.keys()].filter((name) => name.includes('/') && name.endsWith('.conf'))
  for (const name of names.sort(compareNames)) {
    const folder = name.slice(0, name.indexOf('/'))
    const one = facts.get(name)
    if (one !== undefined && !one.isUnreadable) folders.set(folder, [...(folders.get(folder) ?? []), one])
  }
  return folders
}

function isTopLevel(name: string): boolean {
  return isConfName(name) && !name.includes('/')
}

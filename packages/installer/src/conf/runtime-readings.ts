import { type Candidates, candidatesOf, factsOfFolder } from './candidate.ts'
import type { ConfFacts } from './conf-facts.ts'
import { compareNames } from './conf-name.ts'
import { formatPath } from './delegates.ts'

/** Network that a container runtime would choose from a CNI network folder. */
export interface RuntimeReading {
  /** Container runtime with known rules for CNI network folders. cri-dockerd has the rules of CRI-O. */
  readonly runtime: 'containerd' | 'cri-o'
  /**
   * Tells if the container runtime runs the plugin for each pod. `unknown`: Multus runs a network outside the folder.
   */
  readonly runs: 'yes' | 'no' | 'unknown'
  /** Sentence for users, such as `CRI-O uses 10-calico.conflist with istio-cni as plugin 3 of 3`. */
  readonly text: string
  /** Name of the primary configuration file. The container runtime connects pods to the network in this file. */
  readonly primary?: string
  /** Number of plugins in the primary configuration file. */
  readonly plugins?: number
  /** Position of the plugin among the plugins of the primary configuration file. The first position is 1. */
  readonly place?: number
  /**
   * Paths of the plugin's configurations in the `delegates` of the primary configuration file, such as
   * `delegates[0].plugins[2]`.
   */
  readonly copies?: readonly string[]
  /** Network through which Multus runs the plugin: the network's file name, or the network's path in `delegates`. */
  readonly through?: string
  /** Reason why the container runtime has no network for pods. */
  readonly problem?: string
  /** Advice for the operator; absent if the container runtime runs the plugin. */
  readonly next?: string
}

/**
 * Networks that containerd and CRI-O would choose from a CNI network folder. Each result also tells if the runtime runs
 * the plugin of the given type.
 */
export function runtimeReadings(
  folder: ReadonlyMap<string, Uint8Array | { readonly unreadable: string }>,
  type: string,
): RuntimeReading[] {
  const facts = factsOfFolder(folder, type)
  return readingsOf({ facts, candidates: candidatesOf(facts) }, type)
}

/**
 * Returns the same as {@link runtimeReadings} for a CNI network folder whose configuration files are already parsed.
 */
export function readingsOf({ facts, candidates }: Omit<Folder, 'type'>, type: string): RuntimeReading[] {
  const folder: Folder = { facts, candidates, type }
  return [readByContainerd(folder), readByCrio(folder)]
}

/**
 * Judges if pods get the plugin. `relevant` has the reading of the node's runtime, or all readings for an unknown one.
 *
 * - `ok`: each relevant runtime runs the plugin.
 * - `fail`: no relevant runtime runs the plugin.
 * - `warn`: only some runtimes run the plugin, or a runtime has an unknown network.
 */
export function judgeReadings(
  readings: readonly RuntimeReading[],
  runtime: RuntimeReading['runtime'] | undefined,
): { readonly verdict: 'ok' | 'warn' | 'fail'; readonly relevant: readonly RuntimeReading[] } {
  const relevant = runtime === undefined ? readings : readings.filter((one) => one.runtime === runtime)
  if (relevant.length > 0 && relevant.every(({ runs }) => runs === 'no')) return { verdict: 'fail', relevant }
  return { verdict: relevant.every(({ runs }) => runs === 'yes') ? 'ok' : 'warn', relevant }
}

interface Folder {
  readonly facts: ReadonlyMap<string, ConfFacts>
  readonly candidates: Candidates
  readonly type: string
}

/** containerd loads only the first file, so a later broken file does not matter. */
function readByContainerd(folder: Folder): RuntimeReading {
  const { valid, invalid } = folder.candidates
  const [broken] = [...invalid.keys()].filter((name) => !folder.facts.get(name)?.isFolder)
  const first = valid[0]?.name
  if (broken === undefined || (first !== undefined && compareNames(first, broken) < 0)) {
    return first === undefined ? withoutNetwork('containerd', folder) : use('containerd', first, folder)
  }
  const reason = shorten(invalid.get(broken) ?? '')
  return {
    runtime: 'containerd',
    runs: 'no',
    text: `containerd loads no network while ${broken} is broken: ${reason}`,
    problem: `${broken}: ${reason}`,
    next: `repair or remove ${broken}: containerd reads the first file alone, and no other file if that one is broken`,
  }
}

/** CRI-O logs a broken file and continues with the next one (ocicni, `loadNetworks`). */
function readByCrio(folder: Folder): RuntimeReading {
  const first = folder.candidates.valid[0]?.name
  return first === undefined ? withoutNetwork('cri-o', folder) : use('cri-o', first, folder)
}

function withoutNetwork(runtime: RuntimeReading['runtime'], { candidates: { invalid } }: Folder): RuntimeReading {
  const [broken] = invalid
  const problem =
    broken === undefined ? 'no configuration is in the folder' : `${broken[0]} is broken: ${shorten(broken[1])}`
  return {
    runtime,
    runs: 'no',
    text: `${LABELS[runtime]} has no network: ${problem}`,
    problem,
    next: 'start the plugin of the cluster network, which writes the first configuration of the node',
  }
}

type Position = Pick<RuntimeReading, 'runs' | 'text' | 'place' | 'copies' | 'through' | 'next'>

function use(runtime: RuntimeReading['runtime'], primary: string, folder: Folder): RuntimeReading {
  const plugins = typesOf(primary, folder).length
  const { text, ...place } = placeIn(primary, folder)
  return { runtime, primary, plugins, ...place, text: `${LABELS[runtime]} uses ${primary}${text}` }
}

/** Finds the plugin in the primary configuration file, or in the network that the file's Multus plugin runs. */
function placeIn(primary: string, folder: Folder): Position {
  const { facts, type } = folder
  const all = facts.get(primary)?.copies ?? []
  const copies = all.map(({ path }) => formatPath(path))
  const chained = positionOf(primary, folder)
  const delegated = throughMultus(primary, folder)
  const named = copies.length === 0 ? {} : { copies }
  if (chained !== undefined) {
    const { through } = delegated ?? {}
    if (through === undefined) return { runs: 'yes', place: chained.place, ...named, text: ` with ${chained.text}` }
    const text = ` with ${chained.text}, and Multus runs it a second time by ${through}, which is harmless`
    return { runs: 'yes', place: chained.place, ...named, through, text }
  }
  if (delegated !== undefined) return { ...delegated, ...named }
  return {
    runs: 'no',
    ...named,
    text: `, and ${type} is not in it`,
    next: `${type} belongs into ${primary}, the first network: let the installer choose it, or remove that file`,
  }
}

/** Network that Multus runs for each pod, if the primary configuration file has a Multus plugin. */
function throughMultus(primary: string, folder: Folder): Omit<Position, 'place' | 'copies'> | undefined {
  const { facts, type, candidates } = folder
  const { delegation, copies = [] } = facts.get(primary) ?? {}
  if (delegation === undefined) return undefined
  const { clusterNetwork = '', delegates } = delegation
  // Uses only the file name: the path's folder may exist only in the Multus container.
  const file = clusterNetwork.includes('/') ? clusterNetwork.slice(clusterNetwork.lastIndexOf('/') + 1) : undefined
  if (file !== undefined && candidates.valid.some(({ name }) => name === file)) {
    const position = positionOf(file, folder)
    if (position !== undefined) {
      return { runs: 'yes', through: file, text: `, and Multus runs ${file} with ${position.text}` }
    }
    const next = `${type} belongs into ${primary} or ${file}: let the installer choose one of them`
    return { runs: 'no', text: `, and Multus runs ${file}: ${type} is not in it`, next }
  }
  if (clusterNetwork !== '' || delegates === 0) {
    const next = `look up the network that Multus runs for pods, and whether ${type} is in it`
    return { runs: 'unknown', text: ', and Multus runs a network that is configured elsewhere', next }
  }
  const copy = copies.find(({ path, holder }) => holder === delegation.type && isFirstDelegate(path))
  if (copy !== undefined) {
    const through = formatPath(copy.path)
    return { runs: 'yes', through, text: `, and Multus runs the copy in it: ${type} is ${through}` }
  }
  const next = `restart Multus, which copies the first network into ${primary} when it starts, or let the installer choose ${primary}`
  return { runs: 'no', text: `, and Multus runs the copy in it: ${type} is not in that copy`, next }
}

/** True if the JSON path is inside the first delegate of Multus. Multus runs that delegate for each pod. */
function isFirstDelegate(path: readonly (string | number)[]): boolean {
  const at = path.findIndex((part) => typeof part === 'string' && part.toLowerCase() === 'delegates')
  return path[at + 1] === 0
}

function positionOf(name: string, folder: Folder): { readonly place: number; readonly text: string } | undefined {
  const types = typesOf(name, folder)
  const place = types.indexOf(folder.type) + 1
  return place === 0 ? undefined : { place, text: `${folder.type} as plugin ${place} of ${types.length}` }
}

function typesOf(name: string, { candidates }: Folder): readonly string[] {
  return candidates.valid.find((one) => one.name === name)?.types ?? []
}

const LABELS: Readonly<Record<RuntimeReading['runtime'], string>> = { containerd: 'containerd', 'cri-o': 'CRI-O' }

/** Shortens the reason why a file is invalid, because the reason may quote the whole file. */
function shorten(reason: string): string {
  return reason.length > 200 ? `${reason.slice(0, 200)}…` : reason
}

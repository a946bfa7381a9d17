import { type EntryPlace, isConfName, placeEntry, type RuntimeReading, runtimeReadings } from '@cni/installer'
import { messageOf } from '@cni/types'

/** Maximum total length of the files that the user pastes from a CNI network folder. */
export const MAX_FOLDER_CHARS = 1024 * 1024

/** A file of the CNI network folder `/etc/cni/net.d`. */
export interface NetFile {
  readonly name: string
  readonly text: string
}

/** A file of the CNI network folder: its plugins, and the reason if container runtimes ignore it. */
export interface FileReading {
  readonly name: string
  /** Types of the plugins in the CNI configuration file, in their order. */
  readonly types: readonly string[]
  readonly isPrimary: boolean
  /** Reason why container runtimes ignore the CNI configuration file. */
  readonly problem?: string
}

/** Answer about a CNI network folder: how container runtimes use each file, and where the agent adds the plugin. */
export type FolderAnswer =
  | {
      readonly kind: 'folder'
      readonly files: readonly FileReading[]
      readonly readings: readonly RuntimeReading[]
      readonly place: EntryPlace
      /** Files that each container runtime uses after the agent has added the plugin. */
      readonly after: readonly RuntimeReading[]
    }
  | { readonly kind: 'problem'; readonly problem: string }

/** Plugin configuration that the page adds to the network list by default. */
export const ENTRY = { name: 'istio-cni', type: 'istio-cni', cni_agent_run_dir: '/var/run/istio-cni' } as const

/** Splits pasted text into files at `==> NAME <==` lines, as `tail -n +1 /etc/cni/net.d/*` prints them. */
export function filesIn(text: string): NetFile[] {
  const files: { name: string; lines: string[] }[] = []
  for (const line of text.split('\n')) {
    const [, path] = /^==> (.+) <==\s*$/.exec(line) ?? []
    if (path !== undefined) files.push({ name: path.slice(path.lastIndexOf('/') + 1), lines: [] })
    else if (files.length > 0) files.at(-1)?.lines.push(line)
    else if (line.trim() !== '') files.push({ name: '10-pasted.conflist', lines: [line] })
  }
  return files.map(({ name, lines }) => ({ name, text: `${lines.join('\n').trim()}\n` }))
}

/** Explains how container runtimes and the agent use the files of a CNI network folder. */
export function answerFolder(text: string): FolderAnswer {
  if (text.length > MAX_FOLDER_CHARS)
    return { kind: 'problem', problem: `The text has ${text.length} characters, at most ${MAX_FOLDER_CHARS} are read.` }
  const files = filesIn(text)
  if (files.length === 0) return { kind: 'problem', problem: 'Paste what tail -n +1 /etc/cni/net.d/* prints.' }
  const twice = files.find(({ name }, at) => files.findIndex((file) => file.name === name) !== at)
  if (twice !== undefined) return { kind: 'problem', problem: `There are two files with the name ${twice.name}.` }
  const folder = folderOf(files)
  const readings = runtimeReadings(folder, ENTRY.type)
  const place = placeOf(folder)
  const primaries = new Set(readings.map(({ primary }) => primary))
  return {
    kind: 'folder',
    files: files.map((file) => readingOf(file, primaries.has(file.name))),
    readings,
    place,
    after: place.kind === 'wait' ? readings : runtimeReadings(folderOf(withEntry(files, place)), ENTRY.type),
  }
}

// internal

const folderOf = (files: readonly NetFile[]): ReadonlyMap<string, Uint8Array> =>
  new Map(files.map(({ name, text }) => [name, new TextEncoder().encode(text)]))

function placeOf(folder: ReadonlyMap<string, Uint8Array>): EntryPlace {
  try {
    return placeEntry(folder, ENTRY)
  } catch (error) {
    return { kind: 'wait', reason: messageOf(error) }
  }
}

const withEntry = (
  files: readonly NetFile[],
  { name, becomes, text }: Exclude<EntryPlace, { kind: 'wait' }>,
): NetFile[] => [...files.filter((file) => file.name !== name && file.name !== becomes), { name: becomes, text }]

/** Checks one file of the CNI network folder without regard to the other files. */
function readingOf(file: NetFile, isPrimary: boolean): FileReading {
  const { name } = file
  if (!isConfName(name)) {
    return {
      name,
      types: [],
      isPrimary: false,
      problem: 'not a configuration: runtimes read .conf, .conflist and .json files',
    }
  }
  const [reading] = runtimeReadings(folderOf([file]), ENTRY.type)
  const problem = reading?.problem === undefined ? undefined : reading.problem.replace(`${name}: `, '')
  return { name, types: typesIn(file), isPrimary, ...(problem === undefined ? {} : { problem }) }
}

function typesIn({ text }: NetFile): readonly string[] {
  try {
    const value: unknown = JSON.parse(text)
    const { plugins = [value] } = recordOf(value)
    return (Array.isArray(plugins) ? plugins : []).map((plugin: unknown) => String(recordOf(plugin).type ?? '?'))
  } catch {
    // A file with invalid JSON has no plugins. Its member `problem` already reports the invalid JSON.
    return []
  }
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {}

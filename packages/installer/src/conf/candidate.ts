import { assertConflistDocument, foldMembers, isObject, type JsonObject, parseJson, parsePluginConf } from '@cni/types'
import { messageOf } from '../install-error.ts'
import { compareNames, isConfName } from './conf-name.ts'

/** A file of a net folder as it was read: its bytes, or why there are none. */
export type ReadFile = Uint8Array | { readonly unreadable: string }

/** A net folder as a value: the files in it by name, and those of its sub-folders as `folder/name`. */
export type NetFolder = ReadonlyMap<string, ReadFile>

/** A configuration file that a runtime would load. */
export interface Candidate {
  readonly name: string
  /** The types of its plugins, in order. */
  readonly types: readonly string[]
}

/** What a runtime makes of a net folder. */
export interface Candidates {
  /** The files it would load, in its order: the first is the one that counts. */
  readonly valid: readonly Candidate[]
  /** The files it would skip, with the reason. */
  readonly invalid: ReadonlyMap<string, string>
}

/**
 * Reads a net folder as kubelet and containerd do: `.conf` and `.conflist` files in the order of their bytes, and of
 * those the ones that parse.
 */
export function listCandidates(folder: NetFolder): Candidates {
  const valid: Candidate[] = []
  const invalid = new Map<string, string>()
  for (const name of [...folder.keys()].filter(isTopLevel).sort(compareNames)) {
    const file = folder.get(name)
    if (file === undefined) continue
    try {
      if ('unreadable' in file) invalid.set(name, file.unreadable)
      else valid.push({ name, types: pluginTypes(name, file, folder) })
    } catch (error) {
      invalid.set(name, messageOf(error))
    }
  }
  return { valid, invalid }
}

/** The folder next to a list whose `.conf` files a runtime adds to it; `undefined` when there is none to look in. */
export function pluginFolder(name: string, bytes: Uint8Array): string | undefined {
  if (!name.endsWith('.conflist')) return undefined
  try {
    const list = parseJson(bytes, name)
    if (!isObject(list) || /^true$/i.test(String(list.loadOnlyInlinedPlugins ?? ''))) return undefined
    const folder = list.name
    return typeof folder === 'string' && /^[^/\0]+$/.test(folder) && folder !== '.' && folder !== '..'
      ? folder
      : undefined
  } catch {
    // not JSON: the candidate check says so
    return undefined
  }
}

function isTopLevel(name: string): boolean {
  return isConfName(name) && !name.includes('/')
}

function pluginTypes(name: string, bytes: Uint8Array, folder: NetFolder): readonly string[] {
  if (name.endsWith('.conf')) return [typeOf(bytes)]
  const value = parseJson(bytes, 'error parsing configuration list')
  const list = foldPlugins(value)
  assertConflistDocument(list)
  const types = (list.plugins ?? []).map((plugin) => plugin.type)
  const sub = pluginFolder(name, bytes)
  if (sub !== undefined) {
    const names = [...folder.keys()].filter((one) => one.startsWith(`${sub}/`) && one.endsWith('.conf'))
    for (const one of names.sort(compareNames)) {
      const file = folder.get(one)
      if (file !== undefined && !('unreadable' in file)) types.push(typeOf(file))
    }
  }
  if (types.length === 0) throw new Error('no plugins in list')
  return types
}

function typeOf(bytes: Uint8Array): string {
  const conf = parseJson(bytes, 'error parsing configuration')
  return parsePluginConf(JSON.stringify(isObject(conf) ? foldMembers(conf, ['type']) : conf)).type
}

/** Go finds `type` in any case, as runtimes do; it is the only member where that matters here. */
function foldPlugins(value: unknown): unknown {
  if (!isObject(value) || !Array.isArray(value.plugins)) return value
  const folded: JsonObject = {
    ...value,
    plugins: value.plugins.map((plugin) => (isObject(plugin) ? foldMembers(plugin, ['type']) : plugin)),
  }
  return folded
}

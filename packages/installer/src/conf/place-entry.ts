import type { PluginConf } from '@cni/types'
import { listCandidates, type NetFolder } from './candidate.ts'
import { choosePrimary } from './choose-primary.ts'
import { conflistName } from './conf-name.ts'
import { diffLines } from './diff.ts'
import { hasEntry, insertEntry } from './entry.ts'
import { utf8Text } from './utf8-text.ts'

/** Target of a plugin's entry in a net folder, or the reason to wait. */
export type EntryPlace =
  | {
      readonly kind: 'insert' | 'convert' | 'unchanged'
      /** File that the installer chooses. */
      readonly name: string
      /** Name of the file after the change: a single configuration becomes a list. */
      readonly becomes: string
      /** Text of the file after the change. */
      readonly text: string
      /** Diff between the file and that text. */
      readonly diff: ReadonlyArray<{ readonly op: ' ' | '-' | '+'; readonly text: string }>
    }
  | { readonly kind: 'wait'; readonly reason: string }

/**
 * Finds the target of a plugin's entry: the last position in the first usable file, as the installer chooses it by
 * default. Changes nothing.
 *
 * @throws `InstallError` `INVALID_CONFIG` for a file that is not a configuration.
 */
export function placeEntry(
  folder: ReadonlyMap<string, Uint8Array | { readonly unreadable: string }>,
  plugin: PluginConf,
): EntryPlace {
  const files: NetFolder = folder
  const choice = choosePrimary(listCandidates(files), { type: plugin.type }, {}, 0)
  if (choice.kind !== 'use') return { kind: 'wait', reason: choice.reason }
  const { name } = choice
  const bytes = files.get(name)
  if (!(bytes instanceof Uint8Array)) return { kind: 'wait', reason: `${name} cannot be read` }
  const before = utf8Text(bytes)
  const becomes = conflistName(name)
  if (becomes === name && hasEntry(before, plugin)) {
    return { kind: 'unchanged', name, becomes, text: before, diff: diffLines(before, before) }
  }
  const text = insertEntry(before, plugin)
  return { kind: becomes === name ? 'insert' : 'convert', name, becomes, text, diff: diffLines(before, text) }
}

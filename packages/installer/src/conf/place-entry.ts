import type { PluginConf } from '@cni/types'
import { listCandidates, type NetFolder } from './candidate.ts'
import { choosePrimary } from './choose-primary.ts'
import { conflistName } from './conf-name.ts'
import { diffLines } from './diff.ts'
import { hasEntry, insertEntry } from './entry.ts'
import { utf8Text } from './utf8-text.ts'

/** Where the entry of a plugin goes in a net folder, or why there is no place for it. */
export type EntryPlace =
  | {
      readonly kind: 'insert' | 'convert' | 'unchanged'
      /** The file that the installer chooses. */
      readonly name: string
      /** The name of the file afterwards: a single configuration becomes a list. */
      readonly becomes: string
      /** The text of the file afterwards. */
      readonly text: string
      /** The lines that turn the file into that text. */
      readonly diff: ReadonlyArray<{ readonly op: ' ' | '-' | '+'; readonly text: string }>
    }
  | { readonly kind: 'wait'; readonly reason: string }

/**
 * Finds the place of a plugin's entry: the last plugin of the first usable file, as the installer with default settings
 * chooses it. Changes nothing.
 *
 * @throws `InstallError` `INVALID_CONFIG` for a file that has no place for a plugin.
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

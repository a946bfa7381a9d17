import type { PluginConf } from '@cni/types'
import { listCandidates, type NetFolder } from './candidate.ts'
import { choosePrimary } from './choose-primary.ts'
import { conflistName } from './conf-name.ts'
import { diffLines } from './diff.ts'
import { hasEntry, insertEntry } from './entry.ts'
import { utf8Text } from './utf8-text.ts'

/** File to which the installer would add the plugin. The kind `wait` means that there is no suitable file yet. */
export type EntryPlace =
  | {
      readonly kind: 'insert' | 'convert' | 'unchanged'
      /** Name of the configuration file that the installer would change. */
      readonly name: string
      /**
       * Name of the configuration file after the change. A single configuration becomes a list: `x.conf` becomes
       * `x.conflist`.
       */
      readonly becomes: string
      /** Text of the configuration file after the change. */
      readonly text: string
      /** Diff between the present text of the configuration file and its text after the change. */
      readonly diff: ReadonlyArray<{ readonly op: ' ' | '-' | '+'; readonly text: string }>
    }
  | { readonly kind: 'wait'; readonly reason: string }

/**
 * Chooses the file to which an installer with default options would add the plugin. Writes nothing.
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

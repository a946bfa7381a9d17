import type { UninstallReport } from '@cni/installer'

/** Lines for the user about the plugin files that an uninstall keeps. */
export function keptLines({ kept, needs, moreNeeds }: UninstallReport): string[] {
  if (needs.length === 0) return []
  const stays = kept.map((path) => `keep ${path}: removed by the last DEL that needs it, or by another uninstall`)
  const reasons = needs.map(({ kind, path, reason }) => `${kind} ${path}: ${reason}`)
  const more = moreNeeds === 0 ? [] : [`and ${moreNeeds} more`]
  const copies = needs.some(({ kind }) => kind === 'configuration') ? [COPIES] : []
  return [...stays, ...reasons, ...more, ...copies]
}

const COPIES =
  "another program's configuration names istio-cni, and uninstall does not change it: remove the entry; with Multus, delete " +
  "its file after the entry is removed from the network's own list, so that Multus writes it anew"

import type { UninstallReport } from '@cni/installer'

/** Lines about what an uninstallation leaves, and why: for people. */
export function keptLines({ kept, needs, moreNeeds }: UninstallReport): string[] {
  if (needs.length === 0) return []
  const stays = kept.map((path) => `keep ${path}: the last DEL that needs it removes it, or another uninstall`)
  const reasons = needs.map(({ kind, path, reason }) => `${kind} ${path}: ${reason}`)
  const more = moreNeeds === 0 ? [] : [`and ${moreNeeds} more`]
  const copies = needs.some(({ kind }) => kind === 'configuration') ? [COPIES] : []
  return [...stays, ...reasons, ...more, ...copies]
}

const COPIES =
  'a configuration of another program names istio-cni, and is not ours to change: take the entry out; with Multus, delete ' +
  "its file once the entry is out of the network's own list, so that Multus makes the copy again"

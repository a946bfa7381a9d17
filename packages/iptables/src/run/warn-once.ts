import type { NetnsContext } from '@cni/netns/handle'

/** Logs each warning only once per log object, and so once per CNI call. */
export function warnOnce(log: NetnsContext['log'], message: string, fields: Record<string, unknown>): void {
  if (log === undefined) return
  const said = saidTo.get(log) ?? new Set()
  saidTo.set(log, said)
  if (said.has(message)) return
  said.add(message)
  log.warn(message, fields)
}

const saidTo = new WeakMap<NonNullable<NetnsContext['log']>, Set<string>>()

import type { NetnsContext } from '@cni/netns/handle'

/** Logs each warning only once per log object, and so once per CNI call. */
export function warnOnce(log: NetnsContext['log'], message: string, fields: Record<string, unknown>): void {
  if (log === undefined) return
  const logged = loggedTo.get(log) ?? new Set()
  loggedTo.set(log, logged)
  if (logged.has(message)) return
  logged.add(message)
  log.warn(message, fields)
}

const loggedTo = new WeakMap<NonNullable<NetnsContext['log']>, Set<string>>()

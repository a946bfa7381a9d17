import { current, isNetnsError, type Netns, open } from '@cni/netns/handle'
import { CniError, ErrorCode, messageOf } from '@cni/types'
import type { NetnsPort } from '../io.ts'
import type { AcceptedCall } from './accepted-call.ts'

/** The namespaces of the machine. */
export const machine: NetnsPort = { open, current }

/**
 * The container's namespace, for ADD and CHECK, closed with the call.
 *
 * @throws {@link CniError} 8 when there is none at `CNI_NETNS`.
 */
export function requireNetns({ call, environment: { netns: path }, port }: AcceptedCall): Netns {
  try {
    const netns = port.open(path)
    call.opened.push(netns)
    return netns
  } catch (cause) {
    throw new CniError(ErrorCode.invalidNetns, `CNI_NETNS: ${messageOf(cause)}`, { details: path, cause })
  }
}

/**
 * Refuses a container namespace that is the plugin's own: after a process id was reused, `/proc/PID/ns/net` can be the
 * node's. Before the handler, so that no harm is done; `CNI_NETNS_OVERRIDE` says it is meant.
 *
 * @throws {@link CniError} 8
 */
export function refuseOwnNetns(netns: Netns, { environment, port }: AcceptedCall): void {
  if (environment.netnsOverride || !isOwn(netns, port)) return
  throw new CniError(ErrorCode.invalidNetns, "plugin's netns and netns from CNI_NETNS should not be the same", {
    details: environment.netns,
  })
}

/**
 * The container's namespace, for DEL, closed with the call. `undefined` when it is gone, or when the path leads to the
 * plugin's own.
 */
export function findNetns({ call: { log, opened }, environment, port }: AcceptedCall): Netns | undefined {
  const path = environment.netns
  if (path === '') return undefined
  let netns: Netns
  try {
    netns = port.open(path)
  } catch (error) {
    const reason = messageOf(error)
    if (isGone(error)) log.info('the network namespace is gone', { netns: path, reason })
    // The namespace may still exist. DEL has to succeed, but the log should say that something may be left inside.
    else log.warn('the network namespace cannot be opened: it counts as gone', { netns: path, reason })
    return undefined
  }
  try {
    if (environment.netnsOverride || !isOwn(netns, port)) {
      opened.push(netns)
      return netns
    }
  } catch (error) {
    netns.close()
    throw error
  }
  netns.close()
  log.warn("CNI_NETNS is the plugin's own network namespace: the container's counts as gone", { netns: path })
  return undefined
}

/** Whether nothing is at the path, or something that is no namespace. Other errors (EACCES, EMFILE …) do not say. */
const isGone = (error: unknown): boolean =>
  isNetnsError(error) && (error.code === 'NOT_FOUND' || error.code === 'NOT_A_NAMESPACE')

/** Whether it is the plugin's own. */
export function isOwn(netns: Netns, port: NetnsPort): boolean {
  let own: Netns
  try {
    own = port.current()
  } catch (cause) {
    throw new CniError(ErrorCode.invalidNetns, "get plugin's netns failed", { details: messageOf(cause), cause })
  }
  try {
    return netns.isSame(own)
  } finally {
    own.close()
  }
}

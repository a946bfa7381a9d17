import { current, isNetnsError, type Netns, open } from '@cni/netns/handle'
import { CniError, ErrorCode, messageOf } from '@cni/types'
import type { NetnsPort } from '../io.ts'
import type { AcceptedCall } from './accepted-call.ts'

/** Opens real network namespaces of the node. Tests use fakes instead. */
export const machine: NetnsPort = { open, current }

/** Opens the container's network namespace, which is closed at the end of the call. */
export function requireNetns({ call, environment: { netns: path }, port }: AcceptedCall): Netns {
  try {
    const netns = port.open(path)
    call.opened.push(netns)
    return netns
  } catch (cause) {
    throw new CniError(ErrorCode.invalidNetns, `CNI_NETNS: ${messageOf(cause)}`, { details: path, cause })
  }
}

/** Rejects the plugin's own namespace. A reused process id can lead to the node's namespace. */
export function refuseOwnNetns(netns: Netns, { environment, port }: AcceptedCall): void {
  if (environment.netnsOverride || !isOwn(netns, port)) return
  throw new CniError(ErrorCode.invalidNetns, "plugin's netns and netns from CNI_NETNS should not be the same", {
    details: environment.netns,
  })
}

/** Opens the container's network namespace for DEL. `undefined` if the namespace is gone. */
export function findNetns({ call: { log, opened }, environment, port }: AcceptedCall): Netns | undefined {
  const path = environment.netns
  if (path === '') return undefined
  let netns: Netns
  try {
    netns = port.open(path)
  } catch (error) {
    const reason = messageOf(error)
    if (isGone(error)) log.info('the network namespace is gone', { netns: path, reason })
    // Only logs a warning, because DEL must succeed even if some objects stay in the namespace.
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

/** True if a namespace does not exist. After EACCES or EMFILE it may still exist. */
const isGone = (error: unknown): boolean =>
  isNetnsError(error) && (error.code === 'NOT_FOUND' || error.code === 'NOT_A_NAMESPACE')

/** True if a network namespace is the plugin's own. */
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

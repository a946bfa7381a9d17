import { current, isNetnsError, type Netns, open } from '@cni/netns/handle'
import { CniError, ErrorCode } from '@cni/types'
import type { Environment } from './environment.ts'
import type { NetnsPort } from './io.ts'
import type { Log } from './log.ts'

/** The namespaces of the machine. */
export const machine: NetnsPort = { open, current }

/**
 * The container's namespace, for ADD and CHECK.
 *
 * @throws {@link CniError} 8 when there is none at `CNI_NETNS`.
 */
export function requireNetns({ netns: path }: Environment, port: NetnsPort): Netns {
  try {
    return port.open(path)
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
export function refuseOwnNetns(netns: Netns, environment: Environment, port: NetnsPort): void {
  if (!isOwnNetns(netns, environment, port)) return
  throw new CniError(ErrorCode.invalidNetns, "plugin's netns and netns from CNI_NETNS should not be the same", {
    details: environment.netns,
  })
}

/** The container's namespace, for DEL: `undefined` when it is gone, or when the path leads to the plugin's own. */
export function findNetns(environment: Environment, port: NetnsPort, log: Log): Netns | undefined {
  const path = environment.netns
  if (path === '') return undefined
  let netns: Netns
  try {
    netns = port.open(path)
  } catch (error) {
    const reason = messageOf(error)
    if (isGone(error)) log.info('the network namespace is gone', { netns: path, reason })
    // It may well exist: DEL must succeed all the same, but what is inside stays, and somebody should know.
    else log.warn('the network namespace cannot be opened: it counts as gone', { netns: path, reason })
    return undefined
  }
  try {
    if (!isOwnNetns(netns, environment, port)) return netns
  } catch (error) {
    netns.close()
    throw error
  }
  netns.close()
  log.warn("CNI_NETNS is the plugin's own network namespace: the container's counts as gone", { netns: path })
  return undefined
}

/** Nothing there, or something else by now; any other reason (EACCES, EMFILE …) says nothing about it. */
const isGone = (error: unknown): boolean =>
  isNetnsError(error) && (error.code === 'NOT_FOUND' || error.code === 'NOT_A_NAMESPACE')

function isOwnNetns(netns: Netns, { netnsOverride }: Environment, port: NetnsPort): boolean {
  if (netnsOverride) return false
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

import { fstatSync } from 'node:fs'
import { type Netns, netns } from '@cni/netns'
import type { UnixMessage } from '@cni/netns/unix'
import { messageOf } from '@cni/types'
import type { WorkloadInfo } from '../../../zds/wire.ts'
import type { ProxyDeps } from './listeners.ts'
import { podProxy } from './pod-proxy.ts'
import { decodeRequest, type ReceivedRequest } from './wire-of-ztunnel.ts'

/** Pod that the ztunnel stand-in received from the agent. */
export interface ZtunnelPod {
  readonly uid: string
  readonly workload: { readonly name: string; readonly namespace: string; readonly serviceAccount: string }
  /** Device and inode number of the pod's network namespace, as `dev:ino`. */
  readonly namespace: string
  /** Error that keeps the ztunnel stand-in from listening in the pod. */
  readonly problem?: string | undefined
}

/** Reaction of the ztunnel stand-in to a message of the agent. */
export interface Reaction {
  readonly error: string
  readonly next: 'go on' | 'disconnect' | 'exit'
}

/** Pods of the ztunnel stand-in. The pods stay when the connection to the agent ends. */
export interface ZtunnelPods {
  readonly pods: ReadonlyMap<string, ZtunnelPod>
  /** Messages of the agent that the ztunnel stand-in understood, such as `add UID`. */
  readonly heard: readonly string[]
  /** Prepares the ztunnel stand-in for a new connection to an agent. */
  begin(): void
  /** True if the connected agent has sent its whole snapshot. */
  readonly complete: boolean
  /** True if the snapshot is complete and ztunnel listens in all pods. */
  readonly ready: boolean
  receive(message: UnixMessage): Reaction
  /** Closes the listeners in all pods. Open connections continue. */
  end(): void
}

/** Pause in milliseconds before the ztunnel stand-in tries again to listen in a pod. */
const RETRY_MS = 5000

/** Reacts to the agent's messages as ztunnel 1.30 does, with the same error texts. */
export function ztunnelPods(deps: ProxyDeps): ZtunnelPods {
  const pods = new Map<string, ZtunnelPod>()
  const proxies = new Map<string, () => void>()
  /** Network namespaces in which ztunnel cannot listen yet, by pod UID. */
  const pending = new Map<string, Netns | undefined>()
  const heard: string[] = []
  let mentioned = new Set<string>()
  let complete = false
  let ready = false
  let retrying: NodeJS.Timeout | undefined

  const giveUp = (uid: string): void => {
    if (!pending.has(uid)) return
    pending.get(uid)?.close()
    pending.delete(uid)
    pods.delete(uid)
  }
  const drop = (uid: string): void => {
    giveUp(uid)
    proxies.get(uid)?.()
    proxies.delete(uid)
    pods.delete(uid)
  }
  const start = (uid: string, namespace: Netns | undefined): string | undefined => {
    if (namespace === undefined) return NO_NAMESPACE
    try {
      proxies.set(uid, podProxy(reopen(namespace.fd), deps))
      return undefined
    } catch (error) {
      return messageOf(error)
    }
  }
  const retry = (): void => {
    retrying = undefined
    for (const [uid, namespace] of [...pending]) {
      const pod = pods.get(uid)
      if (pod === undefined || start(uid, namespace) !== undefined) continue
      giveUp(uid)
      pods.set(uid, { ...pod, problem: undefined })
    }
    if (pending.size > 0) retryLater()
    else ready = complete
  }
  const retryLater = (): void => {
    retrying ??= setTimeout(retry, RETRY_MS).unref()
  }
  const add = (uid: string, workload: WorkloadInfo, fd: number): string => {
    const { dev, ino } = fstatSync(fd, { bigint: true })
    const namespace = `${dev}:${ino}`
    const before = pods.get(uid)
    if (before?.namespace === namespace && before.problem === undefined) return ''
    // Opens new listeners before the old ones close, because every connection must find a listener.
    const old = proxies.get(uid)
    proxies.delete(uid)
    giveUp(uid)
    const opened = namespaceAt(fd)
    const problem = start(uid, opened)
    old?.()
    pods.set(uid, { uid, workload, namespace, problem })
    if (problem === undefined) {
      opened?.close()
      return ''
    }
    pending.set(uid, opened)
    retryLater()
    return `failure to start proxy : ${problem}`
  }
  const handleRequest = (request: ReceivedRequest, fd: number | undefined): Reaction => {
    switch (request.type) {
      case 'add': {
        if (request.workload === undefined) return fatal('workload_info is required but not present')
        mentioned.add(request.uid)
        return { error: add(request.uid, request.workload, fd ?? -1), next: 'go on' }
      }
      case 'keep':
        if (complete) return fatal('pod keep received after snapshot')
        mentioned.add(request.uid)
        return fine
      case 'snapshotSent':
        if (complete) return fatal('pod snapshot received already')
        for (const uid of [...proxies.keys()]) if (!mentioned.has(uid)) drop(uid)
        complete = true
        return fine
      case 'del':
        if (complete) drop(request.uid)
        else giveUp(request.uid)
        // A `del` during the snapshot takes effect only at the end of the snapshot.
        mentioned.delete(request.uid)
        return fine
    }
  }
  return {
    pods,
    heard,
    get complete() {
      return complete
    },
    get ready() {
      return ready
    },
    begin() {
      complete = ready = false
      mentioned = new Set()
      for (const uid of [...pending.keys()]) giveUp(uid)
    },
    receive(message) {
      const read = readMessage(message)
      if (typeof read === 'string') return { error: `failure to read message : ${read}`, next: 'disconnect' }
      heard.push('uid' in read ? `${read.type} ${read.uid}` : read.type)
      const reaction = handleRequest(read, message.fds[0])
      // Only a message that succeeds changes ztunnel's readiness.
      if (reaction.error === '') ready = complete && pending.size === 0
      return reaction
    },
    end() {
      clearTimeout(retrying)
      for (const uid of [...pending.keys()]) giveUp(uid)
      for (const close of proxies.values()) close()
      proxies.clear()
      complete = ready = false
    },
  }
}

// internal

const NO_NAMESPACE = 'Bind(127.0.0.1:15053, Os { code: 22, kind: InvalidInput, message: "Invalid argument" })'

const reopen = (fd: number): Netns => netns.open(`/proc/self/fd/${fd}`)

function namespaceAt(fd: number): Netns | undefined {
  try {
    return reopen(fd)
  } catch {
    return undefined
  }
}

const fine: Reaction = { error: '', next: 'go on' }
const fatal = (what: string): Reaction => ({
  error: `failure to process message : ProtocolError("${what}")`,
  next: 'exit',
})

/** Decodes a message of the agent. Returns ztunnel's error text for an invalid message. */
function readMessage({ bytes, fds, bytesLost, fdsLost }: UnixMessage): ReceivedRequest | string {
  // ztunnel expects one file descriptor, but its aligned buffer has room for two.
  if (fdsLost || fds.length > 2) return 'ENOBUFS: No buffer space available'
  if (bytesLost > 0) return 'received truncated message'
  let request: ReceivedRequest | undefined
  try {
    request = decodeRequest(bytes)
  } catch {
    return 'failed to decode Protobuf message: invalid varint'
  }
  if (request === undefined) return 'no payload'
  if (request.type !== 'add') return fds.length === 0 ? request : 'Unexpected control message'
  if (fds.length === 1) return request
  return fds.length === 0 ? 'No control message' : `Expected 1 FD, got ${fds.length}`
}

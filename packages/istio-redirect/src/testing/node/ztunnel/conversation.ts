import { fstatSync } from 'node:fs'
import { type Netns, netns } from '@cni/netns'
import type { UnixMessage } from '@cni/netns/unix'
import { messageOf } from '@cni/types'
import type { WorkloadInfo } from '../../../zds/wire.ts'
import { decodeRequest, type ReceivedRequest } from '../../../zds/wire-of-ztunnel.ts'
import type { ProxySurroundings } from './listeners.ts'
import { podProxy } from './pod-proxy.ts'

/** A pod that a ztunnel was told of. */
export interface ZtunnelPod {
  readonly uid: string
  readonly workload: { readonly name: string; readonly namespace: string; readonly serviceAccount: string }
  /** Which namespace, as `dev:ino`. */
  readonly namespace: string
  /** Why it does not listen there. */
  readonly problem?: string | undefined
}

/** What a ztunnel makes of a message: its answer, and whether the connection or the process ends with it. */
export interface Reaction {
  readonly error: string
  readonly next: 'go on' | 'disconnect' | 'exit'
}

/** The pods of a ztunnel, over all connections to the agent. */
export interface ZtunnelPods {
  readonly pods: ReadonlyMap<string, ZtunnelPod>
  /** What was understood, such as `add UID`. */
  readonly heard: readonly string[]
  /** From now on another agent speaks. */
  begin(): void
  /** All pods were named, by the agent that speaks now. */
  readonly complete: boolean
  /** That, and it listens in all of them: as it said so last. */
  readonly ready: boolean
  hear(message: UnixMessage): Reaction
  /** Nobody can connect any more; connections go on. */
  end(): void
}

/** When it tries again to listen where it could not. */
const RETRY_MS = 5000

/** What ztunnel 1.30 does with the agent's messages, in its words. */
export function ztunnelPods(around: ProxySurroundings): ZtunnelPods {
  const pods = new Map<string, ZtunnelPod>()
  const proxies = new Map<string, () => void>()
  /** Those that it could not take, and where: `undefined` is no namespace. */
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
      proxies.set(uid, podProxy(again(namespace.fd), around))
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
    // The new one listens first: nobody is turned away meanwhile.
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
  const obey = (request: ReceivedRequest, fd: number | undefined): Reaction => {
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
        // The end of the snapshot takes it out.
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
    hear(message) {
      const read = readMessage(message)
      if (typeof read === 'string') return { error: `failure to read message : ${read}`, next: 'disconnect' }
      heard.push('uid' in read ? `${read.type} ${read.uid}` : read.type)
      const reaction = obey(read, message.fds[0])
      // A pod that it refuses now does not change what it says of itself, until it answers something else.
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

const again = (fd: number): Netns => netns.open(`/proc/self/fd/${fd}`)

function namespaceAt(fd: number): Netns | undefined {
  try {
    return again(fd)
  } catch {
    return undefined
  }
}

const fine: Reaction = { error: '', next: 'go on' }
const fatal = (what: string): Reaction => ({
  error: `failure to process message : ProtocolError("${what}")`,
  next: 'exit',
})

/** A message that is as it should be, or what is wrong with it. */
function readMessage({ bytes, fds, bytesLost, fdsLost }: UnixMessage): ReceivedRequest | string {
  // It reads no more than 1024 bytes and, for reasons of alignment, two descriptors.
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

import { type Netns, netns } from '@cni/netns'
import type { UnixMessage } from '@cni/netns/unix'
import { messageOf } from '@cni/types'
import { MAX_MESSAGE, type WorkloadInfo } from '../../../zds/wire.ts'
import { decodeRequest, type ReceivedRequest } from '../../../zds/wire-of-ztunnel.ts'
import type { ProxySurroundings } from './listeners.ts'
import { podProxy } from './pod-proxy.ts'

/** A pod that a ztunnel was told of. */
export interface ZtunnelPod {
  readonly uid: string
  readonly workload: WorkloadInfo
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
  readonly ready: boolean
  hear(message: UnixMessage): Reaction
  /** Nobody can connect any more; connections go on. */
  end(): void
}

/** What ztunnel 1.30 does with the agent's messages, in its words. */
export function ztunnelPods(around: ProxySurroundings): ZtunnelPods {
  const pods = new Map<string, ZtunnelPod>()
  const proxies = new Map<string, () => void>()
  const heard: string[] = []
  let mentioned = new Set<string>()
  let ready = false

  const drop = (uid: string): void => {
    proxies.get(uid)?.()
    proxies.delete(uid)
    pods.delete(uid)
  }
  const start = (uid: string, namespace: Netns): string | undefined => {
    try {
      proxies.set(uid, podProxy(namespace, around))
      return undefined
    } catch (error) {
      return messageOf(error)
    }
  }
  const add = (uid: string, workload: WorkloadInfo, fd: number): string => {
    const before = pods.get(uid)
    try {
      const namespace = netns.open(`/proc/self/fd/${fd}`)
      const id = `${namespace.dev}:${namespace.ino}`
      if (before?.namespace === id && before.problem === undefined) {
        namespace.close()
        return ''
      }
      // The new one listens first: nobody is turned away meanwhile.
      const old = proxies.get(uid)
      const problem = start(uid, namespace)
      pods.set(uid, { uid, workload, namespace: id, problem })
      if (problem !== undefined) return `failure to start proxy : ${problem}`
      old?.()
      return ''
    } catch {
      const invalid = 'Os { code: 22, kind: InvalidInput, message: "Invalid argument" }'
      return `failure to start proxy : Bind(127.0.0.1:15053, ${invalid})`
    }
  }
  const obey = (request: ReceivedRequest, fd: number | undefined): Reaction => {
    switch (request.type) {
      case 'add': {
        if (request.workload === undefined) return fatal('workload_info is required but not present')
        mentioned.add(request.uid)
        return { error: add(request.uid, request.workload, fd ?? -1), next: 'go on' }
      }
      case 'keep':
        if (ready) return fatal('pod keep received after snapshot')
        mentioned.add(request.uid)
        return fine
      case 'snapshotSent':
        if (ready) return fatal('pod snapshot received already')
        for (const uid of [...pods.keys()]) if (!mentioned.has(uid)) drop(uid)
        ready = true
        return fine
      case 'del':
        drop(request.uid)
        return fine
    }
  }
  return {
    pods,
    heard,
    get ready() {
      return ready
    },
    begin() {
      ready = false
      mentioned = new Set()
    },
    hear(message) {
      const read = readMessage(message)
      if (typeof read === 'string') return { error: `failure to read message : ${read}`, next: 'disconnect' }
      heard.push('uid' in read ? `${read.type} ${read.uid}` : read.type)
      return obey(read, message.fds[0])
    },
    end() {
      for (const close of proxies.values()) close()
      proxies.clear()
      ready = false
    },
  }
}

// internal

const fine: Reaction = { error: '', next: 'go on' }
const fatal = (what: string): Reaction => ({
  error: `failure to process message : ProtocolError("${what}")`,
  next: 'exit',
})

/** A message that is as it should be, or what is wrong with it. */
function readMessage({ bytes, fds, bytesLost, fdsLost }: UnixMessage): ReceivedRequest | string {
  if (bytesLost > 0 || fdsLost) return `message is longer than ${MAX_MESSAGE} bytes`
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

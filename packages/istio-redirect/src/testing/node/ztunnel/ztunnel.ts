import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { connectUnix, type UnixConnection, type UnixMessage } from '@cni/netns/unix'
import { MAX_MESSAGE } from '../../../zds/wire.ts'
import type { ZtunnelBehaviour } from './behaviour.ts'
import { type Reaction, type ZtunnelPod, ztunnelPods } from './conversation.ts'
import type { Forwarded } from './listeners.ts'
import { encodeAck, encodeHello } from './wire-of-ztunnel.ts'

interface ZtunnelOptions {
  /** Path of the agent's unix socket, to which ztunnel connects. */
  readonly path: string
  readonly behaviour?: ZtunnelBehaviour | undefined
}

/** Running stand-in for ztunnel. */
export interface Ztunnel extends AsyncDisposable {
  /** Pods that the stand-in received from the agent, by UID. */
  readonly pods: ReadonlyMap<string, ZtunnelPod>
  /**
   * True if the stand-in is connected and has accepted the whole snapshot. A real ztunnel reports this at
   * `/healthz/ready`.
   */
  readonly ready: boolean
  /** Messages of the agent that the stand-in understood, such as `add UID` or `snapshotSent`. */
  readonly heard: readonly string[]
  /** Connections that the stand-in has forwarded. */
  readonly forwarded: readonly Forwarded[]
  readonly pid: number
  /** Changes the stand-in's faulty behaviour from now on. */
  behave(behaviour: ZtunnelBehaviour): void
  /**
   * Stops the stand-in as SIGTERM stops ztunnel, and resolves to 0. Waits at most five seconds for open connections.
   */
  stop(): Promise<number>
  /** Stops the stand-in as SIGKILL stops ztunnel: closes all sockets at once. */
  kill(): Promise<number>
  /** Promise of the stand-in's exit code: 1 after a message that makes ztunnel exit. */
  readonly ended: Promise<number>
}

/** State of the ztunnel stand-in that tests observe. */
export type ZtunnelView = Pick<Ztunnel, 'pods' | 'ready' | 'heard' | 'forwarded'>

/** Shortest and longest pause in milliseconds before ztunnel tries again to connect to the agent. */
const [MIN_PAUSE_MS, MAX_PAUSE_MS] = [20, 15_000]
const DRAIN_MS = 5000

/** Starts a stand-in for ztunnel 1.30 in the test's process. Needs root. */
export function startZtunnel({ path, behaviour: first = {} }: ZtunnelOptions): Ztunnel {
  const open = new Set<Socket>()
  const forwarded: Forwarded[] = []
  const state = ztunnelPods({ open, onForward: (each) => forwarded.push(each) })
  const over = new AbortController()
  let behaviour = first
  let connection: UnixConnection | undefined

  const react = async (to: UnixConnection, message: UnixMessage): Promise<Reaction['next']> => {
    const misbehaves = behaviour.fromStart === true || state.complete
    const { answer = 'ack', refuse, lateMs = 0 } = misbehaves ? behaviour : {}
    if (answer === 'close') return 'disconnect'
    const reaction = state.receive(message)
    const { error, next } = reaction.error === '' ? { ...reaction, error: refuse ?? '' } : reaction
    if (lateMs > 0) await delay(lateMs, undefined, { signal: over.signal })
    if (answer === 'junk') await to.send(Uint8Array.of(0xff))
    else if (answer !== 'never') await to.send(encodeAck({ error }))
    const more = answer === 'twice' ? 1 : answer === 'flood' ? 10_000 : 0
    for (let count = 0; count < more; count++) await to.send(encodeAck({ error }))
    return next
  }
  const converse = async (to: UnixConnection): Promise<Reaction['next']> => {
    state.begin()
    if (behaviour.mute !== true) await to.send(encodeHello({ version: 1 }))
    for await (using message of to) {
      const next = await react(to, message)
      if (next !== 'go on') return next
    }
    return 'disconnect'
  }
  /** Runs one connection to the agent until its end. Resolves to `nobody` if no agent listens on the socket. */
  const connectOnce = async (): Promise<Reaction['next'] | 'nobody'> => {
    try {
      using own = connectUnix(path, { maxBytes: MAX_MESSAGE })
      connection = own
      return await converse(own)
    } catch {
      return connection === undefined ? 'nobody' : 'disconnect'
    } finally {
      connection = undefined
      state.begin()
    }
  }
  const run = async (): Promise<number> => {
    let pause = MIN_PAUSE_MS
    while (!over.signal.aborted) {
      const outcome = await connectOnce()
      if (outcome === 'exit') return 1
      pause = outcome === 'nobody' ? Math.min(2 * pause, MAX_PAUSE_MS) : MIN_PAUSE_MS
      if (!over.signal.aborted) await delay(pause, undefined, { signal: over.signal }).catch(() => {})
    }
    return 0
  }
  const end = (): void => {
    state.end()
    for (const socket of open) socket.destroy()
  }
  const ended = run().then((code) => {
    if (code !== 0) end()
    return code
  })
  const shutDown = async (code: number): Promise<number> => {
    over.abort()
    connection?.close()
    const own = await ended
    return own === 0 ? code : own
  }
  const kill = async (): Promise<number> => {
    const code = shutDown(137)
    end()
    return code
  }
  return {
    pid: process.pid,
    pods: state.pods,
    heard: state.heard,
    forwarded,
    get ready() {
      return state.ready
    },
    behave(next) {
      behaviour = next
    },
    async stop() {
      const code = await shutDown(0)
      state.end()
      const until = performance.now() + DRAIN_MS
      while (open.size > 0 && performance.now() < until) await delay(10)
      end()
      return code
    },
    kill,
    ended,
    [Symbol.asyncDispose]: async () => void (await kill()),
  }
}

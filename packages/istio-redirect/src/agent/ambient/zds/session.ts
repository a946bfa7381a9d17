import { podRef } from '@cni/istio-rules'
import type { Netns } from '@cni/netns'
import type { UnixConnection } from '@cni/netns/unix'
import { messageOf, printable } from '@cni/types'
import type { Ack, ChangeRequest } from '../../../zds/wire.ts'
import { identityOf, isSameNamespace, type NamespaceIdentity } from '../../proc/namespace-identity.ts'
import { whenAborted } from '../../shared/when-aborted.ts'
import type { KnownPod } from '../namespace/netns-cache.ts'
import { greet, type LiveExchange, type SnapshotExchange, type Timeouts, type WithNetns } from './exchange.ts'
import { problemOf } from './messages.ts'
import type { ZdsConnection, ZdsOptions, ZdsPod } from './options.ts'
import { type Packets, packetsOf } from './packets.ts'
import { isZdsError, ZdsError } from './zds-error.ts'

/** Dependencies that all sessions of the ztunnel server share. */
export interface SessionDeps extends Timeouts, Pick<ZdsOptions, 'snapshot' | 'ready' | 'log'> {
  readonly observe: NonNullable<ZdsOptions['observe']>
  /** Called when a ztunnel has received all pods. */
  readonly onLive: () => void
}

/** Options for waiting for an answer of ztunnel. */
interface AskOptions {
  /** Deadline in milliseconds for the ztunnel's answer, including the wait for earlier requests. */
  readonly ms?: number | undefined
  readonly signal?: AbortSignal | undefined
}

interface Task {
  readonly request: WithNetns<ChangeRequest>
  resolve(ack: Ack): void
  reject(error: unknown): void
}

/** Maximal number of unanswered messages of a snapshot. A large number saves context switches. */
const WINDOW = 64
const WORK = Symbol('work')

/** Session with one ztunnel: hello message, snapshot of all pods, and changes one by one. */
export class Session {
  readonly id: number
  readonly pid: number
  state: ZdsConnection['state'] | 'over' = 'greeting'
  readonly #connection: UnixConnection
  readonly #packets: Packets
  readonly #deps: SessionDeps
  readonly #tasks: Task[] = []
  /** Map from UIDs to network namespaces, for the pods that the ztunnel has received or will receive. */
  readonly #sent = new Map<string, NamespaceIdentity>()
  readonly #over = new AbortController()
  #wake = new AbortController()

  constructor(id: number, connection: UnixConnection, deps: SessionDeps) {
    this.id = id
    this.pid = connection.peer.pid
    this.#connection = connection
    this.#packets = packetsOf(connection)
    this.#deps = deps
  }

  /** Serves the ztunnel until its connection ends. Returns the error that ended the connection. */
  async run(): Promise<ZdsError> {
    try {
      const exchange = await greet(this.#packets, this.#deps)
      await Promise.race([this.#deps.ready, whenAborted(this.#over.signal)])
      if (this.#isOver()) throw this.#closed()
      this.state = 'snapshot'
      const live = await this.#sendSnapshot(exchange)
      this.state = 'live'
      this.#deps.onLive()
      return await this.#serve(live)
    } catch (error) {
      return isZdsError(error) ? error : new ZdsError('CLOSED', messageOf(error), { cause: error })
    } finally {
      this.close()
    }
  }

  /** Sends a new pod to the ztunnel. Rejects if the ztunnel refuses the pod, or does not answer. */
  async add({ uid, workload, netns }: ZdsPod, options: AskOptions = {}): Promise<void> {
    this.#sent.set(uid, identityOf(netns))
    const { error } = await this.#ask({ type: 'add', uid, workload, netns }, options)
    if (error !== '') throw new ZdsError('REFUSED', `got ack error: ${printable(error)}`)
  }

  /** Sends the removal of a pod to the ztunnel. Resolves after the ztunnel's answer, or when the session ends. */
  async remove(uid: string): Promise<void> {
    this.#sent.delete(uid)
    try {
      const { error } = await this.#ask({ type: 'del', uid })
      if (error !== '') this.#deps.log.warn(`${this} did not release pod ${uid}: ${printable(error)}`)
    } catch {
      // Ignores the error, because the session with the ztunnel ends. The ztunnel's next snapshot does not contain the
      // pod.
    }
    this.#deps.observe({ type: 'del' })
  }

  /** Sends the ztunnel the pods that it lacks. Called when this ztunnel has become the node's newest. */
  catchUp(): void {
    for (const { uid, workload, lease } of this.#deps.snapshot()) {
      if (lease === undefined) continue
      const { netns } = lease
      if (this.#isSent(uid, netns) || problemOf({ type: 'add', uid, workload }) !== undefined) {
        lease[Symbol.dispose]()
        continue
      }
      this.add({ uid, workload, netns })
        .catch((error) => this.#deps.log.warn(`cannot send pod ${podRef(workload)} to ${this}: ${messageOf(error)}`))
        .finally(() => lease[Symbol.dispose]())
    }
  }

  /**
   * Ends the session with the ztunnel at once. Waiting calls of `add` reject, and waiting calls of `remove` resolve.
   */
  close(): void {
    this.state = 'over'
    this.#over.abort()
    this.#connection.close()
    for (const task of this.#tasks.splice(0)) task.reject(this.#closed())
  }

  toString(): string {
    return `ztunnel (process ${this.pid}, connection ${this.id})`
  }

  async #sendSnapshot(exchange: SnapshotExchange): Promise<LiveExchange> {
    const known = this.#deps.snapshot()
    try {
      const pods = known.filter((pod) => this.#isSendable(pod))
      let answered = 0
      const answer = async (): Promise<void> => {
        const { error } = await exchange.answer()
        const pod = pods[answered++]
        // Only logs the ztunnel's error, because ztunnel itself retries the pods that it could not serve.
        if (error !== '')
          this.#deps.log.warn(
            `${this} refused pod ${pod === undefined ? '' : podRef(pod.workload)}: ${printable(error)}`,
          )
      }
      for (const [sent, pod] of pods.entries()) {
        if (sent - answered === WINDOW) await answer()
        await this.#sendPod(exchange, pod)
      }
      while (answered < pods.length) await answer()
      return await exchange.finish()
    } finally {
      for (const { lease } of known) lease?.[Symbol.dispose]()
    }
  }

  #sendPod(exchange: SnapshotExchange, { uid, workload, lease }: KnownPod): Promise<void> {
    if (lease === undefined) return exchange.send({ type: 'keep', uid })
    this.#sent.set(uid, identityOf(lease.netns))
    return exchange.send({ type: 'add', uid, workload, netns: lease.netns })
  }

  #isSent(uid: string, netns: Netns): boolean {
    const sent = this.#sent.get(uid)
    return sent !== undefined && isSameNamespace(sent, identityOf(netns))
  }

  #isSendable({ uid, workload }: KnownPod): boolean {
    const problem = problemOf({ type: 'add', uid, workload })
    if (problem !== undefined) this.#deps.log.error(`cannot send pod ${podRef(workload)} to ztunnel: ${problem}`)
    return problem === undefined
  }

  async #serve(live: LiveExchange): Promise<never> {
    for (;;) {
      this.#wake = new AbortController()
      const hasWork = this.#tasks.length > 0
      const idle = live.idle(this.#wake.signal)
      if (hasWork) this.#wake.abort(WORK)
      await idle
      // ztunnel's next message is the answer to this request, because `idle` rejects unrequested messages.
      if (!hasWork) continue
      const task = this.#tasks.shift()
      if (task === undefined) continue
      try {
        task.resolve(await live.ask(task.request))
      } catch (error) {
        task.reject(error)
        // Ends the session only for a `ZdsError`, because other errors concern a single request.
        if (isZdsError(error)) throw error
      }
    }
  }

  #ask(request: WithNetns<ChangeRequest>, { ms, signal }: AskOptions = {}): Promise<Ack> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      if (this.state === 'over') throw this.#closed()
      const settle = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
      }
      const task: Task = {
        request,
        resolve(ack) {
          settle()
          resolve(ack)
        },
        reject(error) {
          settle()
          reject(error)
        },
      }
      const giveUp = (error: unknown): void => {
        const at = this.#tasks.indexOf(task)
        if (at !== -1) this.#tasks.splice(at, 1)
        if (at !== -1 && request.type === 'add') this.#sent.delete(request.uid)
        task.reject(error)
      }
      const abort = (): void => giveUp(signal?.reason)
      const late = (): void => giveUp(new ZdsError('TIMEOUT', `${this}: no answer within ${(ms ?? 0) / 1000} s`))
      const timer = ms === undefined ? undefined : setTimeout(late, ms)
      signal?.addEventListener('abort', abort)
      this.#tasks.push(task)
      this.#wake.abort(WORK)
    })
  }

  #isOver(): boolean {
    return this.state === 'over'
  }

  #closed(): ZdsError {
    return new ZdsError('CLOSED', `${this}: connection closed before response received`)
  }
}

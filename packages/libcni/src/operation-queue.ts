import { resolve } from 'node:path'
import { CniError, ErrorCode, type Verb } from '@cni/types'
import { RuntimeError } from './errors.ts'

/** Network and container that an operation works on. Operations on the same container run one after the other. */
export interface OperationTarget {
  readonly verb: Verb
  readonly network: string
  /** Container that the operation works on. Missing for GC, which works on all attachments of its network. */
  readonly containerID?: string | undefined
}

interface QueuedOperation {
  readonly target: OperationTarget
  readonly ended: Promise<void>
}

/** Map from a cache folder to the queue of this process's operations, which run or wait. */
const queues = new Map<string, Set<QueuedOperation>>()

/**
 * Runs an operation after all conflicting earlier ones. Never waits for later operations, because this could cause
 * deadlocks.
 *
 * @throws {@link RuntimeError} `BUSY` with code 11 if the signal aborts the wait. The operation has not started.
 */
export async function runQueued<T>(
  cacheDir: string,
  target: OperationTarget,
  signal: AbortSignal | undefined,
  body: () => Promise<T>,
): Promise<T> {
  const folder = resolve(cacheDir)
  const queue = queues.get(folder) ?? new Set()
  queues.set(folder, queue)
  const before = [...queue].filter((queued) => conflict(queued.target, target))
  let end = () => {}
  const queued: QueuedOperation = { target, ended: new Promise((done) => (end = done)) }
  queue.add(queued)
  try {
    if (before.length > 0) await allEnded(before, target, signal)
    return await body()
  } finally {
    queue.delete(queued)
    if (queue.size === 0) queues.delete(folder)
    end()
  }
}

function conflict(one: OperationTarget, other: OperationTarget): boolean {
  if (one.containerID !== undefined && other.containerID !== undefined) return one.containerID === other.containerID
  return one.network === other.network
}

async function allEnded(
  before: readonly QueuedOperation[],
  target: OperationTarget,
  signal: AbortSignal | undefined,
): Promise<void> {
  const ended = Promise.all(before.map((queued) => queued.ended))
  if (signal === undefined) return void (await ended)
  let stop = () => {}
  const stopped = new Promise<true>((done) => {
    stop = () => done(true)
  })
  signal.addEventListener('abort', stop, { once: true })
  try {
    if (signal.aborted || (await Promise.race([ended, stopped])) === true) throw busy(before, target, signal)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function busy(
  [first]: readonly QueuedOperation[],
  { verb, network, containerID }: OperationTarget,
  signal: AbortSignal,
): RuntimeError {
  const what = containerID === undefined ? `network "${network}"` : `container ${containerID}`
  const message = `${verb} of ${what} did not begin: ${first?.target.verb ?? 'another'} of it has not ended`
  const cause = new CniError(ErrorCode.tryAgainLater, 'the caller gave up', { cause: signal.reason })
  return new RuntimeError('BUSY', message, { cause })
}

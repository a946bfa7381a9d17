import { resolve } from 'node:path'
import { CniError, ErrorCode, type Verb } from '@cni/types'
import { RuntimeError } from './errors.ts'

/** Network and container that an operation works on. Operations on the same container run one after the other. */
export interface Claim {
  readonly verb: Verb
  readonly network: string
  /** Container that the operation works on. Missing for GC, which works on all attachments of its network. */
  readonly containerID?: string | undefined
}

interface Turn {
  readonly claim: Claim
  readonly ended: Promise<void>
}

/** Map from a cache folder to this process's unfinished operations, which run or wait. */
const unfinished = new Map<string, Set<Turn>>()

/**
 * Runs an operation after all conflicting earlier ones. Never waits for later operations, because this could cause
 * deadlocks.
 *
 * @throws {@link RuntimeError} `BUSY` with code 11 if the signal aborts the wait. The operation has not started.
 */
export async function inTurn<T>(
  cacheDir: string,
  claim: Claim,
  signal: AbortSignal | undefined,
  body: () => Promise<T>,
): Promise<T> {
  const folder = resolve(cacheDir)
  const turns = unfinished.get(folder) ?? new Set()
  unfinished.set(folder, turns)
  const before = [...turns].filter((turn) => collide(turn.claim, claim))
  let end = () => {}
  const turn: Turn = { claim, ended: new Promise((done) => (end = done)) }
  turns.add(turn)
  try {
    if (before.length > 0) await allEnded(before, claim, signal)
    return await body()
  } finally {
    turns.delete(turn)
    if (turns.size === 0) unfinished.delete(folder)
    end()
  }
}

function collide(one: Claim, other: Claim): boolean {
  if (one.containerID !== undefined && other.containerID !== undefined) return one.containerID === other.containerID
  return one.network === other.network
}

async function allEnded(before: readonly Turn[], claim: Claim, signal: AbortSignal | undefined): Promise<void> {
  const ended = Promise.all(before.map((turn) => turn.ended))
  if (signal === undefined) return void (await ended)
  let stop = () => {}
  const stopped = new Promise<true>((done) => {
    stop = () => done(true)
  })
  signal.addEventListener('abort', stop, { once: true })
  try {
    if (signal.aborted || (await Promise.race([ended, stopped])) === true) throw busy(before, claim, signal)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function busy([first]: readonly Turn[], { verb, network, containerID }: Claim, signal: AbortSignal): RuntimeError {
  const what = containerID === undefined ? `network "${network}"` : `container ${containerID}`
  const message = `${verb} of ${what} did not begin: ${first?.claim.verb ?? 'another'} of it has not ended`
  const cause = new CniError(ErrorCode.tryAgainLater, 'the caller gave up', { cause: signal.reason })
  return new RuntimeError('BUSY', message, { cause })
}

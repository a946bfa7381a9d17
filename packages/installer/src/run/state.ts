import { basename } from 'node:path'
import { debugFor } from '@cni/host/debug'
import type { Artefact, InstallEvent } from '../events.ts'
import { type NetReader, netReader } from '../files/net-folder.ts'
import { type InstallStatus, toStatus } from '../health.ts'
import type { InstallError } from '../install-error.ts'
import type { Settings } from '../options.ts'
import { type BinaryState, newBinaryState } from './binary-state.ts'
import { type Claim, newClaim } from './claim/claim.ts'
import { type Memory, newMemory } from './memory.ts'
import { type Throttle, throttle } from './throttle.ts'
import { type VerifiedFiles, verifiedFiles } from './verified.ts'

/** What an installer carries from pass to pass. */
export interface State {
  readonly settings: Settings
  readonly memory: Memory
  readonly verified: VerifiedFiles
  readonly net: NetReader
  readonly binaries: BinaryState
  readonly throttle: Throttle
  readonly emit: (event: InstallEvent) => void
  readonly failures: Map<Artefact, Failure>
  /** What was said last, so that nothing is said twice. */
  readonly said: Map<string, string>
  /** Files that were in order before: to put them right again is to heal. */
  readonly seen: Set<string>
  status: InstallStatus
  passes: number
  /** While `run` is at work. */
  claim: Claim | undefined
}

interface Failure {
  message: string
  attempt: number
  retryAt: number
}

/** The state of an installer that has done nothing yet. */
export function newState(settings: Settings): State {
  return {
    settings,
    memory: newMemory(),
    verified: verifiedFiles(),
    net: netReader(settings.netDir, settings.type),
    binaries: newBinaryState(),
    throttle: throttle(settings.rewriteMs),
    emit(event) {
      debugFor('installer')?.(event.type, { ...event, type: undefined })
      try {
        settings.observe?.(event)
      } catch {
        // a broken log must not take the node's network with it
      }
    },
    failures: new Map(),
    said: new Map(),
    seen: new Set(),
    status: toStatus([], undefined),
    passes: 0,
    claim: undefined,
  }
}

/** The state under other options. What is remembered of a net folder holds as long as it is the same one. */
export function withSettings(old: State, settings: Settings): State {
  const { memory, net, passes, status, claim: former } = old
  const { claimFile, netDir, ownFile } = settings
  const claim =
    former === undefined || claimFile === undefined ? undefined : newClaim(claimFile, settings, former.claimant)
  const fresh = { ...newState(settings), passes, status, claim }
  const isSameFolder = netDir === old.settings.netDir
  if (!isSameFolder) memory.displaced.close()
  const state = isSameFolder ? { ...fresh, memory, net } : fresh
  if (old.settings.ownFile !== undefined) state.memory.retired.add(old.settings.ownFile)
  if (ownFile !== undefined) state.memory.retired.delete(ownFile)
  return state
}

/** Says something unless it was the last thing said about this topic; `undefined` forgets it. */
export function sayOnce(state: State, topic: string, text: string | undefined, event: () => InstallEvent): void {
  if (text === undefined) {
    state.said.delete(topic)
    return
  }
  if (state.said.get(topic) === text) return
  state.said.set(topic, text)
  state.emit(event())
}

/** Notes that a step failed, and returns when to try again. A repeated failure is told when its time has come only. */
export function noteFailure(state: State, artefact: Artefact, error: InstallError, now: number): number {
  const known = state.failures.get(artefact)
  if (known !== undefined && known.message === error.message && now < known.retryAt) return known.retryAt - now
  const attempt = (known?.attempt ?? 0) + 1
  const retryMs = Math.min(1000 * 2 ** (attempt - 1), 30_000, Math.max(state.settings.recheckMs, 1000))
  state.failures.set(artefact, { message: error.message, attempt, retryAt: now + retryMs })
  state.emit({ type: 'failed', artefact, error, attempt, retryMs })
  return retryMs
}

/** What an operator can do about a file that another program claims. */
export function hintFor(path: string): string {
  return basename(path).includes('cilium')
    ? 'Cilium takes the folder for itself: set cni.exclusive=false in its configuration'
    : 'another program writes network configurations here: find it, and let it keep chained plugins'
}

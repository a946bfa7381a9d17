import { basename } from 'node:path'
import { debugFor } from '@cni/host/debug'
import type { InstallEvent } from '../events.ts'
import { type NetReader, netReader } from '../files/net-folder.ts'
import { type Health, type InstallStatus, toStatus } from '../health.ts'
import type { InstallError } from '../install-error.ts'
import type { Settings } from '../options.ts'
import { type Claim, newClaim } from './claim/claim.ts'
import { type HealLimit, healLimit } from './heal-limit.ts'
import { type Memory, newMemory } from './memory.ts'
import { type VerifiedFiles, verifiedFiles } from './verified.ts'

/** What an installer carries from pass to pass. */
export interface State {
  readonly settings: Settings
  readonly memory: Memory
  readonly verified: VerifiedFiles
  readonly net: NetReader
  readonly binaries: BinaryState
  readonly healLimit: HealLimit
  readonly emit: (event: InstallEvent) => void
  readonly failures: Map<Health['artefact'], Failure>
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

/**
 * The work on the binaries, which may take seconds: it goes on beside the passes, so that no other file waits for it.
 */
export interface BinaryState {
  /** What is under way, and what it found so far. */
  running: { readonly end: Promise<void>; readonly found: () => readonly Health[] } | undefined
  /** What came of it, until the next pass takes it over. */
  done: StepOutcome | undefined
  /** What the last pass knew. */
  health: readonly Health[]
  /** Whether all of them have been in place. */
  wereFine: boolean
  stop: AbortController
}

/** What steps came to. */
export interface StepOutcome {
  readonly health: Health[]
  readonly errors: InstallError[]
  /** When to look again even if nothing happens. */
  againMs: number
  /** How many changes must wait, because their file was just written. */
  postponed: number
}

/** The state of an installer that has done nothing yet. */
export function newState(settings: Settings): State {
  return {
    settings,
    memory: newMemory(),
    verified: verifiedFiles(),
    net: netReader(settings.netDir, settings.type),
    binaries: newBinaryState(),
    healLimit: healLimit(settings.rewriteMs),
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

/** Nothing under way. */
function newBinaryState(): BinaryState {
  return { running: undefined, done: undefined, health: [], wereFine: false, stop: new AbortController() }
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

/**
 * Emits an event unless the last one about this topic had the same text. `undefined` ends the topic: whatever comes next
 * is emitted.
 */
export function sayOnce(state: State, topic: string, text: string | undefined, event: () => InstallEvent): void {
  if (text === undefined) {
    state.said.delete(topic)
    return
  }
  if (state.said.get(topic) === text) return
  state.said.set(topic, text)
  state.emit(event())
}

/**
 * Notes that a step failed, and returns after how many milliseconds to try again. The same failure is emitted again only
 * when that time is over, so that a lasting one does not fill the log.
 */
export function noteFailure(state: State, artefact: Health['artefact'], error: InstallError, now: number): number {
  const known = state.failures.get(artefact)
  if (known !== undefined && known.message === error.message && now < known.retryAt) return known.retryAt - now
  const attempt = (known?.attempt ?? 0) + 1
  const retryMs = Math.min(1000 * 2 ** (attempt - 1), 30_000, Math.max(state.settings.recheckMs, 1000))
  state.failures.set(artefact, { message: error.message, attempt, retryAt: now + retryMs })
  state.emit({ type: 'failed', artefact, error, attempt, retryMs })
  return retryMs
}

/** Notes that another look is due after so many milliseconds, unless an earlier one is noted. */
export function lookAgainIn(outcome: StepOutcome, ms: number): void {
  outcome.againMs = Math.min(outcome.againMs, ms)
}

/** What an operator can do about a file that another program claims. */
export function hintFor(path: string): string {
  return basename(path).includes('cilium')
    ? 'Cilium takes the folder for itself: set cni.exclusive=false in its configuration'
    : 'another program writes network configurations here: find it, and let it keep chained plugins'
}

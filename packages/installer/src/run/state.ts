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

/** State that an installer keeps between its checks of the files. */
export interface State {
  readonly settings: Settings
  readonly memory: Memory
  readonly verified: VerifiedFiles
  readonly net: NetReader
  readonly binaries: BinaryState
  readonly healLimit: HealLimit
  readonly emit: (event: InstallEvent) => void
  readonly failures: Map<Health['artefact'], Failure>
  /** Map from a topic, such as `primary`, to the text of its last event. Prevents repeated events. */
  readonly emitted: Map<string, string>
  /** Paths of files that were correct before. If such a file changes, restoring it counts as a heal. */
  readonly seen: Set<string>
  status: InstallStatus
  passes: number
  /** The claim file with which several installers decide which one is active. Set while `run` is active. */
  claim: Claim | undefined
}

interface Failure {
  message: string
  attempt: number
  retryAt: number
}

/** State of the background work on binaries, which may take seconds. Other files do not wait for this work. */
export interface BinaryState {
  /** Running background work, and the state of each binary that it has found so far. */
  running: { readonly end: Promise<void>; readonly found: () => readonly Health[] } | undefined
  /** Result of finished background work. The installer's next check of all files takes and removes it. */
  done: StepOutcome | undefined
  /** State of each binary, as the installer's last check has reported it. */
  health: readonly Health[]
  /** True if all binaries have been installed at least once. */
  wereInstalled: boolean
  stop: AbortController
}

/** Results of the installation steps in one check of all files. */
export interface StepOutcome {
  readonly health: Health[]
  readonly errors: InstallError[]
  /** Milliseconds until the installer's next check of all files, if no file event comes before. */
  recheckInMs: number
  /** Number of changes that the rate limit has delayed, because the installer wrote these files moments ago. */
  postponed: number
}

/** Creates the state of a new installer. */
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
        // An error in the function that observes events must not affect the node's network.
      }
    },
    failures: new Map(),
    emitted: new Map(),
    seen: new Set(),
    status: toStatus([], undefined),
    passes: 0,
    claim: undefined,
  }
}

/** Creates the state of the work on the binaries: no comparison or copy is running. */
function newBinaryState(): BinaryState {
  return { running: undefined, done: undefined, health: [], wereInstalled: false, stop: new AbortController() }
}

/** Creates the installer's state for new options. Keeps the facts about an unchanged folder. */
export function withSettings(old: State, settings: Settings): State {
  const { memory, net, passes, status, claim: former } = old
  const { claimFile, netDir, ownFile } = settings
  const claim =
    former === undefined || claimFile === undefined ? undefined : newClaim(claimFile, settings, former.claimant)
  const created = { ...newState(settings), passes, status, claim }
  const isSameFolder = netDir === old.settings.netDir
  if (!isSameFolder) memory.displaced.close()
  const state = isSameFolder ? { ...created, memory, net } : created
  if (old.settings.ownFile !== undefined) state.memory.retired.add(old.settings.ownFile)
  if (ownFile !== undefined) state.memory.retired.delete(ownFile)
  return state
}

/** Emits a topic's event if its text has changed. `undefined` resets the topic. */
export function emitOnce(state: State, topic: string, text: string | undefined, event: () => InstallEvent): void {
  if (text === undefined) {
    state.emitted.delete(topic)
    return
  }
  if (state.emitted.get(topic) === text) return
  state.emitted.set(topic, text)
  state.emit(event())
}

/**
 * Returns the milliseconds until a failed step's retry. Emits an event only for a new attempt or another error, because
 * failures may last.
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

/** Requests another check of all files after `ms` milliseconds, unless an earlier check is already requested. */
export function recheckIn(outcome: StepOutcome, ms: number): void {
  outcome.recheckInMs = Math.min(outcome.recheckInMs, ms)
}

/** Advice for an operator about a file that another program keeps changing. */
export function hintFor(path: string): string {
  return basename(path).includes('cilium')
    ? 'Cilium takes the folder for itself: set cni.exclusive=false in its configuration'
    : 'another program writes network configurations here: find it, and let it keep chained plugins'
}

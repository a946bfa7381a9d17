import { mkdirSync, unlinkSync, utimesSync } from 'node:fs'
import { dirname } from 'node:path'
import { errnoOf } from '@cni/types'
import type { Change } from '../../change.ts'
import { readRegular, type Snapshot } from '../../files/read-regular.ts'
import { replaceFile } from '../../files/replace-file.ts'
import { toInstallError } from '../../install-error.ts'
import type { Settings } from '../../options.ts'
import { type Claimant, type ClaimRecord, claimText, isNewer, newClaimant, parseClaim, settingsHash } from './record.ts'

/** Who keeps the node. */
export type Standing =
  /** This installer; `change` when its record has to be written. */
  | { readonly kind: 'ours'; readonly change?: Change }
  /** A newer one, which is taken for gone unless it shows itself within `leftMs`. */
  | { readonly kind: 'theirs'; readonly reason: string; readonly leftMs: number }

/**
 * A file that says which of several installers keeps the node: the one that started last. It touches the file now and
 * then; when it has not for three rechecks, or the file is gone, the newest of the others takes over.
 *
 * The order is total and the file is replaced as a whole, so it does not matter who writes first: who finds an older
 * one's record replaces it, who finds a newer one's gives way.
 */
export interface Claim {
  readonly claimant: Claimant
  /**
   * Looks at the file. `now` is of a monotonic clock.
   *
   * @throws {@link InstallError} when it cannot be read.
   */
  look(now: number): Standing
  /** Touches the file when that is due; only who keeps the node does. */
  touch(now: number): void
  /** Why another keeps the node, whether it is newer or older: what is installed is its own. */
  keeper(): string | undefined
}

/** The claim of an installer with these settings. */
export function newClaim(path: string, settings: Settings, claimant: Claimant): Claim {
  const { recheckMs, type } = settings
  const own: ClaimRecord = { ...claimant, settings: settingsHash(settings) }
  const staleMs = Math.max(3 * recheckMs, 3000)
  let touchedAt = Number.NEGATIVE_INFINITY
  /** The file of another when it was last found to be touched. */
  let seen: { readonly stamps: string; readonly since: number } | undefined
  const write = (before: Snapshot | undefined, reason: string): Change => ({
    artefact: 'claim',
    action: before === undefined ? 'create' : 'replace',
    path,
    reason,
    apply() {
      mkdirSync(dirname(path), { recursive: true })
      replaceFile({ path, text: claimText(own), mode: 0o644, exactMode: true, before, type })
    },
  })
  const silence = ({ stat }: Snapshot, now: number): number => {
    const stamps = `${stat.ino} ${stat.mtimeMs}`
    if (seen?.stamps !== stamps) seen = { stamps, since: now }
    return now - seen.since
  }
  return {
    claimant,
    look(now) {
      const file = readRegular(path)
      const there = file === undefined ? undefined : parseClaim(file.bytes)
      if (file === undefined || there === undefined)
        return { kind: 'ours', change: write(file, 'nobody keeps this node') }
      if (there.id === own.id) {
        const isSame = there.settings === own.settings
        return isSame ? { kind: 'ours' } : { kind: 'ours', change: write(file, 'other settings') }
      }
      if (!isNewer(there, own)) return { kind: 'ours', change: write(file, 'an older installer keeps this node') }
      const silentMs = silence(file, now)
      if (silentMs > staleMs) return { kind: 'ours', change: write(file, 'the installer that kept this node is gone') }
      return { kind: 'theirs', reason: reasonOf(there, own), leftMs: staleMs - silentMs + 1 }
    },
    touch(now) {
      if (now - touchedAt < recheckMs) return
      touchedAt = now
      try {
        utimesSync(path, new Date(), new Date())
      } catch {
        // gone: the next look writes it
      }
    },
    keeper() {
      const there = recordAt(path)
      if (there === undefined || there.id === own.id || there.bootId !== own.bootId) return undefined
      return reasonOf(there, own)
    },
  }
}

/** Starts a claim: whoever keeps the node now is older. */
export function startClaim(path: string, settings: Settings): Claim {
  return newClaim(path, settings, newClaimant(recordAt(path)))
}

/** Why nothing may be written now, if a newer installer keeps the node. */
export function whoElse(claim: Claim | undefined): string | undefined {
  try {
    const standing = claim?.look(performance.now())
    return standing?.kind === 'theirs' ? standing.reason : undefined
  } catch {
    // a claim that cannot be read is no reason to stop
    return undefined
  }
}

/**
 * Removes the file, unless it is that of another than the given one.
 *
 * @returns whether it was there.
 * @throws {@link InstallError} `IO`.
 */
export function removeClaim(path: string, claimant?: Claimant): boolean {
  if (claimant !== undefined && recordAt(path)?.id !== claimant.id) return false
  try {
    unlinkSync(path)
    return true
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false
    throw toInstallError(error, 'cannot remove', path)
  }
}

function recordAt(path: string): ClaimRecord | undefined {
  try {
    const file = readRegular(path)
    return file === undefined ? undefined : parseClaim(file.bytes)
  } catch {
    // a pass says so
    return undefined
  }
}

function reasonOf(other: ClaimRecord, own: ClaimRecord): string {
  const seconds = other.startedAt - own.startedAt
  const [who, when] = seconds < 0 ? ['an older', 'before'] : ['a newer', 'after']
  const settings = other.settings === own.settings ? 'the same settings' : 'other settings'
  const started = `started ${Math.abs(seconds).toFixed(2)} s ${when} this one with ${settings}`
  return `${who} installer keeps this node, ${started}: nothing is written here until it is gone`
}

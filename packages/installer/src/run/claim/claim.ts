import { mkdirSync, unlinkSync, utimesSync } from 'node:fs'
import { dirname } from 'node:path'
import { errnoOf } from '@cni/types'
import type { Change } from '../../change.ts'
import { readRegular, type Snapshot } from '../../files/read-regular.ts'
import { replaceFile } from '../../files/replace-file.ts'
import { toInstallError } from '../../install-error.ts'
import type { Settings } from '../../options.ts'
import { type Claimant, type ClaimRecord, claimText, isNewer, newClaimant, parseClaim, settingsHash } from './record.ts'

/** Active installer according to the claim file: this installer, or a newer one. */
export type ClaimStatus =
  /** This installer is active. `change` is set if the claim file does not have this installer's record yet. */
  | { readonly kind: 'ours'; readonly change?: Change }
  /** A newer installer is active. `leftMs` is the time until the newer installer counts as gone. */
  | { readonly kind: 'theirs'; readonly reason: string; readonly leftMs: number }

/** File that the installers of a node share. Only the installer that started last writes. */
export interface Claim {
  readonly claimant: Claimant
  /**
   * Reads the claim file and returns which installer is active.
   *
   * @throws {@link InstallError} if the claim file cannot be read.
   */
  check(now: number): ClaimStatus
  /** Keeps the claim file's timestamps recent. Only the active installer calls this method. */
  touch(now: number): void
  /** Returns the reason why `uninstall` must remove nothing: another installer uses the claim file. */
  otherOwner(): string | undefined
}

/** Creates the object through which an installer with the given settings and identity uses the claim file. */
export function newClaim(path: string, settings: Settings, claimant: Claimant): Claim {
  const { recheckMs, type } = settings
  const own: ClaimRecord = { ...claimant, settings: settingsHash(settings) }
  const staleMs = Math.max(3 * recheckMs, 3000)
  let touchedAt = Number.NEGATIVE_INFINITY
  /** Inode number and mtime of another installer's claim file, with the time of the last observed change. */
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
    check(now) {
      const file = readRegular(path)
      const there = file === undefined ? undefined : parseClaim(file.bytes)
      if (file === undefined || there === undefined)
        return { kind: 'ours', change: write(file, 'no installer keeps this node') }
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
        // The claim file is gone. The installer's next check of all files writes it again.
      }
    },
    otherOwner() {
      const there = recordAt(path)
      if (there === undefined || there.id === own.id || there.bootId !== own.bootId) return undefined
      return reasonOf(there, own)
    },
  }
}

/** Makes this installer the active one by giving it a newer identity than the claim file's. */
export function startClaim(path: string, settings: Settings): Claim {
  return newClaim(path, settings, newClaimant(recordAt(path)))
}

/** Reason why this installer must not write: a newer installer is active. */
export function otherInstaller(claim: Claim | undefined): string | undefined {
  try {
    const status = claim?.check(performance.now())
    return status?.kind === 'theirs' ? status.reason : undefined
  } catch {
    // Ignores an unreadable claim file, which must not stop the installation.
    return undefined
  }
}

/** Removes the claim file. With `claimant`, removes the file only if it names that installer. */
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
    // An unreadable claim file counts as missing. The installer's next check reports the error.
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

import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isObject, parseJson } from '@cni/types'
import type { Settings } from '../../options.ts'

/** Identity of one of several installers on a node. */
export interface Claimant {
  /** Id of the boot to which `startedAt` belongs. */
  readonly bootId: string
  /** Start time in seconds since that boot, by a clock that is never adjusted. */
  readonly startedAt: number
  /** Random id, for two that start at the same time. */
  readonly id: string
}

/** Record of an installer in the file that all installers of a node share. */
export interface ClaimRecord extends Claimant {
  /** Hash of the installer's settings. */
  readonly settings: string
}

/** Text of the claim file for a record. */
export function claimText(record: ClaimRecord): string {
  return `${JSON.stringify(record, null, 2)}\n`
}

/** Parses the file; `undefined` if it is not a record. */
export function parseClaim(text: Uint8Array): ClaimRecord | undefined {
  try {
    const value = parseJson(text, 'not a claim')
    if (!isObject(value)) return undefined
    const { bootId, startedAt, settings, id } = value
    if (typeof bootId !== 'string' || typeof startedAt !== 'number') return undefined
    return typeof settings === 'string' && typeof id === 'string' ? { bootId, startedAt, settings, id } : undefined
  } catch {
    // The record is invalid, and will be written again.
    return undefined
  }
}

/** True if another installer started after this one. False for an installer of an earlier boot. */
export function isNewer(other: Claimant, own: Claimant): boolean {
  if (other.bootId !== own.bootId) return false
  return other.startedAt === own.startedAt ? other.id > own.id : other.startedAt > own.startedAt
}

/** Creates a claimant that is newer than the one in the record, even if their clocks differ. */
export function newClaimant(there: ClaimRecord | undefined): Claimant {
  const { bootId, now } = bootClock()
  const after = there?.bootId === bootId ? Math.round(there.startedAt * 100 + 1) / 100 : 0
  return { bootId, startedAt: Math.max(now, after), id: randomBytes(8).toString('hex') }
}

function bootClock(): { readonly bootId: string; readonly now: number } {
  try {
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return { bootId, now: Number.parseFloat(readFileSync('/proc/uptime', 'utf8')) }
  } catch {
    // No /proc. The order is still correct, because a claimant is newer than the one in the record.
    return { bootId: '', now: 0 }
  }
}

/** Hash of all settings that affect the written files. */
export function settingsHash({ observe: _, ...settings }: Settings): string {
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex').slice(0, 16)
}

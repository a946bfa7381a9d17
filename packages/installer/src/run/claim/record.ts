import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isObject, parseJson } from '@cni/types'
import type { Settings } from '../../options.ts'

/** Identity of one of several installers on a node. */
export interface Claimant {
  /** Id of the node's boot to which `startedAt` belongs. */
  readonly bootId: string
  /** Start time of the installer in seconds since the node's boot, by a clock that is never adjusted. */
  readonly startedAt: number
  /** Random id, which orders two installers that start at the same time. */
  readonly id: string
}

/** Content of the claim file, which all installers of a node share: the identity of the active installer. */
export interface ClaimRecord extends Claimant {
  /** Hash of the settings of the active installer. */
  readonly settings: string
}

/** Text of the claim file for an installer's record. */
export function claimText(record: ClaimRecord): string {
  return `${JSON.stringify(record, null, 2)}\n`
}

/** Parses the claim file; `undefined` if its content is invalid. */
export function parseClaim(text: Uint8Array): ClaimRecord | undefined {
  try {
    const value = parseJson(text, 'not a claim')
    if (!isObject(value)) return undefined
    const { bootId, startedAt, settings, id } = value
    if (typeof bootId !== 'string' || typeof startedAt !== 'number') return undefined
    return typeof settings === 'string' && typeof id === 'string' ? { bootId, startedAt, settings, id } : undefined
  } catch {
    // The claim file is not JSON. The caller treats it as missing and writes it again.
    return undefined
  }
}

/** True if another installer started after this one. False if the other installer started before the last reboot. */
export function isNewer(other: Claimant, own: Claimant): boolean {
  if (other.bootId !== own.bootId) return false
  return other.startedAt === own.startedAt ? other.id > own.id : other.startedAt > own.startedAt
}

/** Creates an identity that is newer than the one in the claim file, even if clocks differ. */
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
    // /proc is missing. `newClaimant` still creates an identity that counts as newer than the claim file's.
    return { bootId: '', now: 0 }
  }
}

/** Hash of all installer settings that affect the written files. */
export function settingsHash({ observe: _, ...settings }: Settings): string {
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex').slice(0, 16)
}

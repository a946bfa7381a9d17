import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isObject, parseJson } from '@cni/types'
import type { Settings } from '../../options.ts'

/** Which of several installers on a node this is. */
export interface Claimant {
  /** The boot of the node that `startedAt` belongs to. */
  readonly bootId: string
  /** When it started: seconds since that boot, a clock that nobody sets. */
  readonly startedAt: number
  /** Random, for two that start at the same time. */
  readonly id: string
}

/** What an installer says of itself in the file that all installers of a node share. */
export interface ClaimRecord extends Claimant {
  /** A hash of its settings. */
  readonly settings: string
}

/** The text of the file. */
export function claimText(record: ClaimRecord): string {
  return `${JSON.stringify(record, null, 2)}\n`
}

/** What the file says; `undefined` for anything an installer did not write. */
export function parseClaim(text: Uint8Array): ClaimRecord | undefined {
  try {
    const value = parseJson(text, 'not a claim')
    if (!isObject(value)) return undefined
    const { bootId, startedAt, settings, id } = value
    if (typeof bootId !== 'string' || typeof startedAt !== 'number') return undefined
    return typeof settings === 'string' && typeof id === 'string' ? { bootId, startedAt, settings, id } : undefined
  } catch {
    // it is written anew
    return undefined
  }
}

/** Whether another one started after this one. One from before the last boot did not. */
export function isNewer(other: Claimant, own: Claimant): boolean {
  if (other.bootId !== own.bootId) return false
  return other.startedAt === own.startedAt ? other.id > own.id : other.startedAt > own.startedAt
}

/** Somebody who starts now, and so after the one whose record is there: two clocks need not agree. */
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
    // no /proc here: who comes later is still after who came before
    return { bootId: '', now: 0 }
  }
}

/** The hash of all settings that decide what is written. */
export function settingsHash({ observe: _, ...settings }: Settings): string {
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex').slice(0, 16)
}

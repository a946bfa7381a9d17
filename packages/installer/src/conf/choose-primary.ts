import type { Candidates } from './candidate.ts'
import { alternativeNames, compareNames } from './conf-name.ts'

/** Grace period in milliseconds: an invalid primary file stays chosen. Its owner may still be writing it. */
export const HOLD_MS = 2000

/** Chosen primary configuration file. The installer keeps this choice until the next scan of the CNI network folder. */
export interface PrimaryMemory {
  /** Name of the primary configuration file, which defines the network of the pods. */
  readonly name?: string
  /** Time when a scan first found the primary configuration file invalid or missing, by a monotonic clock. */
  readonly troubledAt?: number
}

/** Rules for choosing the primary configuration file in a CNI network folder. */
export interface PrimaryRules {
  readonly type: string
  /** Name of the primary configuration file that the operator has set (option `confName`). */
  readonly explicit?: string | undefined
  /** Names of the installer's own files in the CNI network folder. They are never the primary configuration file. */
  readonly own?: readonly string[] | undefined
  /** True if the chosen primary configuration file stays chosen even if a new file sorts before it. */
  readonly pin?: boolean | undefined
  readonly holdMs?: number | undefined
}

/** Primary configuration file of a CNI network folder, or the reason to wait for one. */
export type PrimaryChoice =
  | { readonly kind: 'use'; readonly name: string; readonly memory: PrimaryMemory; readonly preemptedBy?: string }
  | { readonly kind: 'hold'; readonly reason: string; readonly until: number; readonly memory: PrimaryMemory }
  | { readonly kind: 'wait'; readonly reason: string; readonly memory: PrimaryMemory }

/**
 * Chooses the primary configuration file. Without `explicit` and `pin`, a valid file that sorts earlier wins at once.
 */
export function choosePrimary(
  candidates: Candidates,
  rules: PrimaryRules,
  memory: PrimaryMemory,
  now: number,
): PrimaryChoice {
  const others = candidates.valid.filter(
    (one) => !rules.own?.includes(one.name) && one.types.some((type) => type !== rules.type),
  )
  const names = others.map((one) => one.name)
  const first = names[0]
  const fixed = rules.explicit ?? (rules.pin ? memory.name : undefined)
  if (fixed !== undefined) return chooseFixed(fixed, names, candidates, memory)
  const known = memory.name
  if (known === undefined || names.includes(known)) return first === undefined ? waiting(candidates) : use(first)
  if (first !== undefined && compareNames(first, known) < 0) return use(first)
  const troubledAt = memory.troubledAt ?? now
  const until = troubledAt + (rules.holdMs ?? HOLD_MS)
  const troubled = { reason: trouble(known, candidates), memory: { name: known, troubledAt } }
  if (now < until) return { kind: 'hold', until, ...troubled }
  return first === undefined ? { kind: 'wait', ...troubled } : use(first)
}

function chooseFixed(
  fixed: string,
  names: readonly string[],
  candidates: Candidates,
  memory: PrimaryMemory,
): PrimaryChoice {
  const found = [fixed, ...alternativeNames(fixed)].find((one) => names.includes(one))
  if (found === undefined) return { kind: 'wait', reason: trouble(fixed, candidates), memory }
  const [first] = names
  const preempted = first !== undefined && first !== found ? { preemptedBy: first } : {}
  return { kind: 'use', name: found, memory: { name: found }, ...preempted }
}

function use(name: string): PrimaryChoice {
  return { kind: 'use', name, memory: { name } }
}

function waiting(candidates: Candidates): PrimaryChoice {
  const [skipped] = candidates.invalid
  const detail = skipped === undefined ? 'no file in the folder' : `${skipped[0]} is not usable: ${skipped[1]}`
  return { kind: 'wait', reason: `no valid network configuration: ${detail}`, memory: {} }
}

function trouble(name: string, candidates: Candidates): string {
  const known = [name, ...alternativeNames(name)].find((one) => candidates.invalid.has(one)) ?? name
  const reason = candidates.invalid.get(known)
  if (reason !== undefined) return `${name} is not usable: ${reason}`
  return candidates.valid.some((one) => one.name === name)
    ? `${name} configures nothing but this plugin`
    : `${name} does not exist`
}

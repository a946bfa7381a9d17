import type { Where } from '@cni/netns/handle'
import { sample } from '../../../test/deep.ts'
import { type Iptables, iptables } from '../src/iptables.ts'
import type { IptablesBackend } from '../src/iptables-backend.ts'
import type { Family } from '../src/rules/model.ts'
import type { Programs } from '../src/run/backend.ts'
import type { IptablesOptions } from '../src/work.ts'

/** Back end for a test, and the methods by which the test writes and reads rules. */
export interface RuleAccess {
  readonly backend: IptablesBackend
  /** Method by which the test writes rules: by netlink or with the iptables programs. */
  readonly programs: Programs
  /** Method by which the test reads rules, if it differs from the writing method. */
  readonly reads?: Programs
}

/** Combination of back end, writing method and reading method, with a name for test titles. */
export interface Mode extends RuleAccess {
  readonly mode: string
}

const byNetlink: Mode = { mode: 'netlink', backend: 'iptables-nft', programs: 'auto' }
const byPrograms: Mode = { mode: 'nft', backend: 'iptables-nft', programs: 'always' }
const legacy: Mode = { mode: 'legacy', backend: 'iptables-legacy', programs: 'always' }

/** True if `npm run test:backends` runs the tests in all combinations. */
const all = process.env.CNI_BACKENDS === 'all'

/** Combinations in which the writing method and the reading method differ. Both methods must see the same rules. */
const mixed: readonly Mode[] = [
  { ...byNetlink, mode: 'netlink, read by programs', reads: 'always' },
  { ...byPrograms, mode: 'nft, read by netlink', reads: 'auto' },
]

/**
 * Combinations of back end and method for the tests: netlink, and programs of the back end that the seed draws. Deep
 * runs use both back ends.
 */
export const modes: readonly Mode[] = [
  byNetlink,
  ...sample([byPrograms, legacy], () => 'programs', all ? { deep: true } : {}),
  ...(all ? mixed : []),
]

/** Name of the program of a back end and IP family, such as `ip6tables-nft-save`. */
export const programOf = (backend: IptablesBackend, family: Family, what: 'restore' | 'save'): string =>
  `${family === 'ipv6' ? backend.replace('ip', 'ip6') : backend}-${what}`

/** Creates an `iptables()` that writes and reads with the methods of a test's combination. */
export function inMode(
  { backend, programs, reads }: RuleAccess,
  where: Where,
  options: IptablesOptions = {},
): Iptables {
  const writer = iptables(where, { ...options, backend, programs })
  if (reads === undefined) return writer
  const { diff, verify, save, snapshot, watch } = iptables(where, { ...options, backend, programs: reads })
  return { ...writer, diff, verify, save, snapshot, watch }
}

import type { Where } from '@cni/netns/handle'
import { type Iptables, iptables } from '../src/iptables.ts'
import type { IptablesBackend } from '../src/iptables-backend.ts'
import type { Family } from '../src/rules/model.ts'
import type { Programs } from '../src/run/backend.ts'
import type { IptablesOptions } from '../src/work.ts'

/** Combination of a writer and a reader of rules. */
export interface Way {
  readonly backend: IptablesBackend
  /** Writer. */
  readonly programs: Programs
  /** Reader, if it differs from the writer. */
  readonly reads?: Programs
}

/** Combination with a name. */
export interface Mode extends Way {
  readonly mode: string
}

const byNetlink: Mode = { mode: 'netlink', backend: 'iptables-nft', programs: 'auto' }
const byPrograms: Mode = { mode: 'nft', backend: 'iptables-nft', programs: 'always' }
const legacy: Mode = { mode: 'legacy', backend: 'iptables-legacy', programs: 'always' }

/** Set by `npm run test:backends`. */
const all = process.env.CNI_BACKENDS === 'all'

/** One method must read the same rules that the other has written. */
const mixed: readonly Mode[] = [
  { ...byNetlink, mode: 'netlink, read by programs', reads: 'always' },
  { ...byPrograms, mode: 'nft, read by netlink', reads: 'auto' },
]

/** Netlink, the nft programs, the legacy programs; with `all` also mixed writers and readers. */
export const modes: readonly Mode[] = [byNetlink, byPrograms, legacy, ...(all ? mixed : [])]

/** Modes for suites that are slow with programs: both kinds of programs behave the same in most tests. */
export const fewModes: readonly Mode[] = all ? modes : [byNetlink, legacy]

/** Program of a back end and a family. */
export const programOf = (backend: IptablesBackend, family: Family, what: 'restore' | 'save'): string =>
  `${family === 'ipv6' ? backend.replace('ip', 'ip6') : backend}-${what}`

/** `iptables()` in a mode. */
export function inMode({ backend, programs, reads }: Way, where: Where, options: IptablesOptions = {}): Iptables {
  const writer = iptables(where, { ...options, backend, programs })
  if (reads === undefined) return writer
  const { diff, verify, save, snapshot, watch } = iptables(where, { ...options, backend, programs: reads })
  return { ...writer, diff, verify, save, snapshot, watch }
}

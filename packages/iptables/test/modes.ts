import type { Where } from '@cni/netns/handle'
import { type Iptables, iptables } from '../src/iptables.ts'
import type { IptablesBackend } from '../src/iptables-backend.ts'
import type { Family } from '../src/rules/model.ts'
import type { Programs } from '../src/run/backend.ts'
import type { IptablesOptions } from '../src/work.ts'

/** A way in which rules get into the kernel and are read again. */
export interface Way {
  readonly backend: IptablesBackend
  /** What writes. */
  readonly programs: Programs
  /** What looks, where that is not what writes. */
  readonly reads?: Programs
}

/** One with a name. */
export interface Mode extends Way {
  readonly mode: string
}

const byNetlink: Mode = { mode: 'netlink', backend: 'iptables-nft', programs: 'auto' }
const byPrograms: Mode = { mode: 'nft', backend: 'iptables-nft', programs: 'always' }
const legacy: Mode = { mode: 'legacy', backend: 'iptables-legacy', programs: 'always' }

/** `npm run test:backends` */
const all = process.env.CNI_BACKENDS === 'all'

/** What one way has written has to be the same in the eyes of the other. */
const mixed: readonly Mode[] = [
  { ...byNetlink, mode: 'netlink, read by programs', reads: 'always' },
  { ...byPrograms, mode: 'nft, read by netlink', reads: 'auto' },
]

/** By netlink, by the programs of the nft back end, by those of the legacy one; all of them: by one, seen by the other. */
export const modes: readonly Mode[] = [byNetlink, byPrograms, legacy, ...(all ? mixed : [])]

/** For suites that take long with programs: those of both back ends do the same for most of what is in them. */
export const fewModes: readonly Mode[] = all ? modes : [byNetlink, legacy]

/** Program of a back end and a family. */
export const programOf = (backend: IptablesBackend, family: Family, what: 'restore' | 'save'): string =>
  `${family === 'ipv6' ? backend.replace('ip', 'ip6') : backend}-${what}`

/** The iptables of a mode. */
export function inMode({ backend, programs, reads }: Way, where: Where, options: IptablesOptions = {}): Iptables {
  const writer = iptables(where, { ...options, backend, programs })
  if (reads === undefined) return writer
  const { diff, verify, save, snapshot, watch } = iptables(where, { ...options, backend, programs: reads })
  return { ...writer, diff, verify, save, snapshot, watch }
}

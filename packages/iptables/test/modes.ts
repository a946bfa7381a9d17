import type { BackendKind, Programs } from '../src/run/backend.ts'

/** A way in which rules get into the kernel and are read again. */
export interface Mode {
  readonly mode: 'netlink' | 'nft' | 'legacy'
  readonly backend: BackendKind
  readonly programs: Programs
}

/** By netlink, by the programs of the nft back end, by those of the legacy one. */
export const modes: readonly Mode[] = [
  { mode: 'netlink', backend: 'nft', programs: 'auto' },
  { mode: 'nft', backend: 'nft', programs: 'always' },
  { mode: 'legacy', backend: 'legacy', programs: 'always' },
]

import type { Change } from './changes.ts'
import type { IpsetSession } from './session.ts'

/** Creates a session that ignores all deletions, because another CNI attachment still uses the namespace. */
export const withoutRemovals = (session: IpsetSession): IpsetSession => ({
  ...session,
  change: (changes, options) => session.change(changes.filter(isNoRemoval), options),
})

const isNoRemoval = ({ verb }: Change): boolean => verb !== 'destroy' && verb !== 'flush' && verb !== 'del'

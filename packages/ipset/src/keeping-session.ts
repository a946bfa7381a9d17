import type { Change } from './changes.ts'
import type { IpsetSession } from './session.ts'

/**
 * Wraps the access to the IP sets of a namespace in which calls must not remove objects (`Netns.kept`). The wrapper
 * ignores all removals of sets and entries.
 */
export const keepingSession = (session: IpsetSession): IpsetSession => ({
  ...session,
  change: (changes, options) => session.change(changes.filter(isNoRemoval), options),
})

const isNoRemoval = ({ verb }: Change): boolean => verb !== 'destroy' && verb !== 'flush' && verb !== 'del'

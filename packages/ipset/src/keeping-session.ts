import type { Change } from './changes.ts'
import type { IpsetSession } from './session.ts'

/** Wraps a session for a namespace that must keep its IP sets (`kept`): removals of sets and entries are ignored. */
export const keepingSession = (session: IpsetSession): IpsetSession => ({
  ...session,
  change: (changes, options) => session.change(changes.filter(isNoRemoval), options),
})

const isNoRemoval = ({ verb }: Change): boolean => verb !== 'destroy' && verb !== 'flush' && verb !== 'del'

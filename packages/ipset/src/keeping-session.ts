import type { Change } from './changes.ts'
import type { IpsetSession } from './session.ts'

/** Session for a namespace whose handle is `kept`: it ignores removals of sets and entries. */
export const keepingSession = (session: IpsetSession): IpsetSession => ({
  ...session,
  change: (changes, options) => session.change(changes.filter(isNoRemoval), options),
})

const isNoRemoval = ({ verb }: Change): boolean => verb !== 'destroy' && verb !== 'flush' && verb !== 'del'

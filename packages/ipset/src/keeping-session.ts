import type { Change } from './changes.ts'
import type { IpsetSession } from './session.ts'

/** The same session for a namespace whose handle is `kept`: sets and entries stay, whatever is to be removed. */
export const keepingSession = (session: IpsetSession): IpsetSession => ({
  ...session,
  change: (changes, options) => session.change(changes.filter(isNoRemoval), options),
})

const isNoRemoval = ({ verb }: Change): boolean => verb !== 'destroy' && verb !== 'flush' && verb !== 'del'

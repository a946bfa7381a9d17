import type { Place } from '@cni/netns/handle'
import { errnoOf, messageOf } from '@cni/types'
import { invalid, SetError } from './errors.ts'
import { netlinkSession } from './netlink/netlink-session.ts'
import type { IpsetPort } from './port.ts'
import { programSession } from './program-session.ts'
import type { IpsetSession } from './session.ts'

/** Opens the IP sets of a namespace, with the program `ipset` if netlink is not available. */
export function openSession(
  port: IpsetPort,
  context: Place,
  programs: 'auto' | 'always' | 'never' = 'auto',
): IpsetSession {
  if (!['auto', 'always', 'never'].includes(programs)) {
    invalid(`ipset: programs is 'auto', 'always' or 'never', not ${JSON.stringify(programs)}`)
  }
  const open = programs === 'always' ? undefined : port.netlink?.bind(port)
  if (open === undefined) {
    if (programs === 'never') invalid("ipset: programs is 'never', but the port has no netlink")
    return programSession(port, context)
  }
  const byNetlink = netlinkSession(open, context)
  let chosen = byNetlink
  const use = async <T>(work: (session: IpsetSession) => Promise<T>): Promise<T> => {
    try {
      return await work(chosen)
    } catch (error) {
      if (chosen !== byNetlink || !noNetlink.has(errnoOf(error) ?? '')) throw error
      if (programs === 'never') {
        const why = `ipset: programs is 'never', and netlink is not available: ${messageOf(error)}`
        throw new SetError('NO_NETLINK', why, { cause: error })
      }
      context.log?.debug('sets are changed by the program ipset, netlink is not available', { reason: String(error) })
      chosen = programSession(port, context)
      return work(chosen)
    }
  }
  return {
    ...byNetlink,
    change: (changes, options) => use((session) => session.change(changes, options)),
    save: (name, options) => use((session) => session.save(name, options)),
    list: () => use((session) => session.list()),
    test: (name, entry) => use((session) => session.test(name, entry)),
  }
}

/** Error codes that mean "netlink is not available". After such an error, calls run the program `ipset`. */
const noNetlink = new Set(['NO_FFI', 'EAFNOSUPPORT', 'EPROTONOSUPPORT'])

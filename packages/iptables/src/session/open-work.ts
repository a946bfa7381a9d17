import type { Place } from '@cni/netns/handle'
import type { IptablesPort } from '../run/port.ts'
import type { SessionOptions } from '../run/session-options.ts'
import { netnsPort } from './netns-port.ts'
import { openSession, type Session } from './session.ts'

/** Access to the rules of a namespace, and to the node's programs and files. */
export interface OpenWork {
  readonly port: IptablesPort
  readonly session: Session
  readonly sessionOptions: SessionOptions
}

/** Creates the access to a namespace's iptables rules. No program runs before the first call. */
export function openWork(
  context: Place,
  sessionOptions: SessionOptions,
  { port = undefined, shield }: { readonly port: IptablesPort | undefined; readonly shield: boolean },
): OpenWork {
  const opened = port ?? netnsPort(context, { shield })
  return { port: opened, session: openSession(opened, sessionOptions), sessionOptions }
}

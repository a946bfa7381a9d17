import type { AddContext, Log } from '@cni/skel'

/** The namespace to redirect, with a log and a way back; the context of every ADD is one. */
export interface RedirectContext extends Pick<AddContext<unknown>, 'netns' | 'signal' | 'undo'> {
  readonly log: Pick<Log, 'debug' | 'info' | 'warn'>
}

import type { AddContext, Log } from '@cni/skel'

/** Context of a function that writes a pod's redirection. ADD passes the context of its CNI call. */
export interface RedirectContext extends Pick<AddContext<unknown>, 'netns' | 'signal' | 'undo'> {
  readonly log: Pick<Log, 'debug' | 'info' | 'warn'>
}

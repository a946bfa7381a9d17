import type { AddContext, Log } from '@cni/skel'

/**
 * Context in which a pod's redirection is written: namespace, deadline, log and rollback. The context of every ADD has
 * these members.
 */
export interface RedirectContext extends Pick<AddContext<unknown>, 'netns' | 'signal' | 'undo'> {
  readonly log: Pick<Log, 'debug' | 'info' | 'warn'>
}

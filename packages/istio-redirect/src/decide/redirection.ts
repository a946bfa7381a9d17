import type { PodInfo } from '@cni/istio-rules'
import { podRef, type Redirect, redirectFor, skipReason } from '@cni/istio-rules'
import { messageOf } from '@cni/types'
import type { DecisionLog } from './log.ts'

/** Pod that the plugin redirects, with the redirection from its annotations. */
export interface FoundRedirect {
  readonly pod: PodInfo
  readonly redirect: Redirect
}

/** Options of {@link redirectionOf}, which decides about a pod outside the ambient mesh. */
export interface RedirectionOptions {
  readonly log: DecisionLog
  /** Environment variables of the plugin's process on the node. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Decides by annotations about a pod outside the ambient mesh. `undefined` means no redirection. */
export function redirectionOf(pod: PodInfo, { log, env }: RedirectionOptions): FoundRedirect | undefined {
  const fields = { pod: podRef(pod) }
  const skip = skipReason(pod)
  if (skip !== undefined) {
    log[skip.level](skip.reason, fields)
    return undefined
  }
  try {
    const tell = (level: 'info' | 'warn', message: string, more: object) => log[level](message, { ...fields, ...more })
    return { pod, redirect: redirectFor(pod, { log: tell, env }) }
  } catch (error) {
    log.error(`redirect failed due to bad params: ${messageOf(error)}`, fields)
    throw error
  }
}

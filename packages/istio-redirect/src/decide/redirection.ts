import type { PodInfo } from '@cni/istio-rules'
import { podRef, type Redirect, redirectFor, skipReason } from '@cni/istio-rules'
import { messageOf } from '@cni/types'
import type { DecisionLog } from './log.ts'

/** Pod whose traffic is redirected, and its redirection. */
export interface FoundRedirect {
  readonly pod: PodInfo
  readonly redirect: Redirect
}

/** Options of {@link redirectionOf}. */
export interface RedirectionOptions {
  readonly log: DecisionLog
  /** Environment variables of the node. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Decides about a pod that is not ambient, and reads its annotations. Returns `undefined` for a pod that is skipped.
 * Throws the errors of `redirectFor`.
 */
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

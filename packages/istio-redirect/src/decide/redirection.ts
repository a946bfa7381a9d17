import type { PodInfo } from '@cni/istio-rules'
import { podRef, type Redirect, redirectFor, skipReason } from '@cni/istio-rules'
import { messageOf } from '@cni/types'
import type { DecisionLog } from './log.ts'

/** A pod whose traffic is to be redirected, and how. */
export interface FoundRedirect {
  readonly pod: PodInfo
  readonly redirect: Redirect
}

/** What {@link redirectionOf} works with. */
export interface RedirectionOptions {
  readonly log: DecisionLog
  /** The node's own variables. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * The rest of the ladder, for a pod that is not ambient, and what its annotations ask for; `undefined` for a pod that is
 * none of our business. Throws what `redirectFor` throws.
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

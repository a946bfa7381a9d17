import type { PodInfo } from '@cni/istio-rules'
import { isRedirectError, podRef, ruleCount } from '@cni/istio-rules'
import { CniError, ErrorCode, isCniError, messageOf, toErrorDocument } from '@cni/types'
import { decideAdd, type RequestedPod } from '../../decide/decide-add.ts'
import type { DecisionLog } from '../../decide/log.ts'
import { makeBatch } from '../../decide/make-batch.ts'
import type { AddRequest } from '../../serve/add-request.ts'
import type { DecisionLine, ServeAnswer } from '../../serve/answer.ts'
import { Refusal } from '../../serve/refusal.ts'
import type { AnnouncedPod } from '../pods/announced-pod.ts'

/** Functions that the agent calls to answer an ADD of the plugin. */
export interface AgentSources {
  /** Finds the current pod with this UID. After a rejection, the plugin asks the API server. */
  pod(who: RequestedPod): Promise<PodInfo>
  /**
   * Enrols a pod in ambient mode if the selectors choose the pod. Rejects with the reason if the enrolment fails.
   *
   * Resolves with `undefined` if the agent cannot decide, or if the enrolment takes too long. After the result
   * `undefined`, the plugin asks the API server itself, and announces the pod on the event socket.
   */
  readonly enrol?: ((pod: AnnouncedPod) => Promise<'enrolled' | 'not-ambient' | undefined>) | undefined
  /**
   * Makes the kernel batch (encoded netlink messages) that writes the rules of a pod. Default: a function without a
   * cache.
   */
  readonly batch?: typeof makeBatch
}

/**
 * Answers an ADD of the plugin with the same decision that the plugin would make. Never rejects: after an unexpected
 * error, the answer is a refusal, and the plugin decides itself.
 */
export async function answerAdd(request: AddRequest, sources: AgentSources): Promise<ServeAnswer> {
  const log: DecisionLine[] = []
  const { call, addresses, native } = request
  try {
    const decision = await decideAdd(
      call,
      {
        pod: (who) => sources.pod(who).catch((error: unknown) => Promise.reject(new Refusal('pod', messageOf(error)))),
        enrol: () => enrolled(request, sources),
        addresses: async () => addresses,
        bound(redirect) {
          const rules = ruleCount(redirect)
          if (rules <= MAX_SERVED_RULES) return
          throw new Refusal(
            'rules',
            `the pod needs up to ${rules} rules, but the agent serves at most ${MAX_SERVED_RULES}`,
          )
        },
      },
      linesIn(log),
    )
    if (decision.act === 'skip') return { ...decision, log }
    const make = sources.batch ?? makeBatch
    return { ...decision, log, batch: make(decision.config, native ? 'nftables' : 'iptables-nft') }
  } catch (error) {
    if (error instanceof Refusal) return refused(error)
    const { code, msg, details } = toErrorDocument(error)
    if (!isCniError(error) || code === ErrorCode.internal) return refused(new Refusal('internal', messageOf(error)))
    const cause = error.cause === undefined ? undefined : messageOf(error.cause)
    return { act: 'error', log, error: { code, msg, details, cause } }
  }
}

/** Builds the answer by which the agent refuses to decide for the plugin, with the reason. */
export const refused = ({ reason, detail }: Refusal): ServeAnswer => ({ act: 'refused', reason, detail })

// internal

/** Maximal number of rules in an answer, because large batches would delay other answers. */
const MAX_SERVED_RULES = 256

function linesIn(lines: DecisionLine[]): DecisionLog {
  const at =
    (level: DecisionLine['level']): DecisionLog['info'] =>
    (message, fields) =>
      void lines.push({ level, message, fields })
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** Enrols the pod of an ADD in ambient mode. Errors equal the plugin's own errors. */
async function enrolled({ call, addresses }: AddRequest, sources: AgentSources): Promise<boolean> {
  const reported = addresses.told.map((cidr) => cidr.split('/')[0] ?? '')
  let done: 'enrolled' | 'not-ambient' | undefined
  try {
    done = await sources.enrol?.({ ...call.pod, netns: addresses.place, addresses: reported })
  } catch (cause) {
    if (isRedirectError(cause)) throw new CniError(ErrorCode.invalidNetworkConfig, cause.message, { cause })
    const text = `ambient pod ${podRef(call.pod)} could not be enrolled by the node agent: ${messageOf(cause)}`
    throw new CniError(ErrorCode.tryAgainLater, text, { cause })
  }
  if (done === undefined) throw new Refusal('ambient')
  return done === 'enrolled'
}

import { isPodIdentity } from '@cni/istio-rules'
import { eventRecorder, kubeClient, serviceAccountAccess } from '@cni/kube'
import { messageOf, printable } from '@cni/types'
import type { AgentConfig } from '../config/agent-config.ts'
import { throttledLog } from '../log/throttled-log.ts'
import type { Readiness } from '../serve/health.ts'
import type { ScopedLog } from '../shared/deps.ts'
import type { Outage, ServerReach } from '../shared/server-reach.ts'
import { agentService, type Service } from '../shared/service.ts'

/** Dependencies of {@link ownEventsService}, which writes Kubernetes events about problems of the node. */
export interface OwnEventsDeps {
  readonly log: ScopedLog
  readonly readiness: () => Readiness
  /** Tracker that reports outages and refusals of the API server. */
  readonly reach: Pick<ServerReach, 'onReturn' | 'onRefusal'>
  /** Called for each Kubernetes event that the agent could not write. */
  readonly failed: () => void
  /** Interval in milliseconds at which the agent checks the node's readiness. Tests replace it. */
  readonly checkMs?: number
}

/** Writes problems of the node as Kubernetes events about the agent's own pod. */
export function ownEventsService({
  log,
  readiness,
  reach,
  failed,
  checkMs = 5000,
}: OwnEventsDeps): Service<AgentConfig> {
  return agentService<AgentConfig>(
    ({ api, values: { podName, podUid }, warnings }) => ({ api, podName, podUid, warnings }),
    async ({ api, values: { podName: name, podUid: uid }, warnings }) => {
      const { namespace } = api
      if (!isPodIdentity({ namespace, name })) return async () => {}
      const pod = { namespace, name, uid, resourceVersion: '' }
      const stop = new AbortController()
      const throttled = throttledLog(log, '')
      const events = eventRecorder({
        connect: () => kubeClient(serviceAccountAccess(api), { userAgent: 'istio-cni-node' }),
        component: 'istio-cni-node',
        signal: stop.signal,
        failed(error) {
          failed()
          throttled.failed(`cannot write an event about this agent: ${printable(messageOf(error))}`)
        },
      })
      for (const warning of warnings) events.warn(pod, 'Misconfigured', warning)
      const unsubscribe = [
        reach.onReturn((outage) => events.warn(pod, 'ServerWasAway', wordsOf(outage))),
        reach.onRefusal((problem) => events.warn(pod, 'Refused', `the API server refuses the agent: ${problem}`)),
      ]
      let last = { text: '', count: 0 }
      const timer = setInterval(() => {
        const { ready, reasons } = readiness()
        const text = ready ? '' : reasons.join('; ')
        last = { text, count: text === last.text ? last.count + 1 : 1 }
        if (text !== '' && last.count % REMINDER === 2) events.warn(pod, 'NotReady', text)
      }, checkMs)
      timer.unref()
      return async () => {
        clearInterval(timer)
        for (const each of unsubscribe) each()
        stop.abort()
        await events.idle()
      }
    },
  )
}

/** Number of checks between two events about the same problem. This number of checks takes five minutes. */
const REMINDER = 60

const wordsOf = ({ first, last, problem }: Outage): string =>
  `the API server did not answer from ${timeOf(first)} to ${timeOf(last)}: ${problem}; the plugin stayed installed, and kubelet retries pods whose ADD failed meanwhile`

const timeOf = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')

import { isPodIdentity } from '@cni/istio-rules'
import { eventRecorder, kubeClient, serviceAccountAccess } from '@cni/kube'
import { messageOf, printable } from '@cni/types'
import type { AgentConfig } from '../config/agent-config.ts'
import { calmLog } from '../log/calm-log.ts'
import { agentPart, type Part } from '../part/part.ts'
import type { Outage, ServerReach } from '../part/server-reach.ts'
import type { ScopedLog } from '../part/services.ts'
import type { Readiness } from '../serve/health.ts'

/** What {@link ownEventsPart} works with. */
export interface OwnEventsServices {
  readonly log: ScopedLog
  readonly readiness: () => Readiness
  /** Tells when the API server is back, and what it refuses. */
  readonly reach: Pick<ServerReach, 'onReturn' | 'onRefusal'>
  /** Called for every event that could not be written. */
  readonly failed: () => void
  /** For tests: between two looks. */
  readonly lookMs?: number
}

/**
 * Writes what keeps the node from being in order as events about the agent's own pod, where `kubectl describe` shows
 * them: settings that make no sense and rights that are missing at once, other reasons when they have been the same for two
 * looks, and that the API server was away as soon as it is back.
 */
export function ownEventsPart({ log, readiness, reach, failed, lookMs = 5000 }: OwnEventsServices): Part<AgentConfig> {
  return agentPart<AgentConfig>(
    ({ api, values: { podName, podUid }, warnings }) => ({ api, podName, podUid, warnings }),
    async ({ api, values: { podName: name, podUid: uid }, warnings }) => {
      const { namespace } = api
      if (!isPodIdentity({ namespace, name })) return async () => {}
      const pod = { namespace, name, uid, resourceVersion: '' }
      const stop = new AbortController()
      const calm = calmLog(log, '')
      const events = eventRecorder({
        connect: () => kubeClient(serviceAccountAccess(api), { userAgent: 'istio-cni-node' }),
        component: 'istio-cni-node',
        signal: stop.signal,
        failed(error) {
          failed()
          calm.failed(`an event about this agent could not be written: ${printable(messageOf(error))}`)
        },
      })
      for (const warning of warnings) events.warn(pod, 'Misconfigured', warning)
      const leave = [
        reach.onReturn((outage) => events.warn(pod, 'ServerWasAway', wordsOf(outage))),
        reach.onRefusal((problem) => events.warn(pod, 'Refused', `the API server refuses the agent: ${problem}`)),
      ]
      let last = { text: '', looks: 0 }
      const timer = setInterval(() => {
        const { ready, reasons } = readiness()
        const text = ready ? '' : reasons.join('; ')
        last = { text, looks: text === last.text ? last.looks + 1 : 1 }
        if (text !== '' && last.looks % REMINDER === 2) events.warn(pod, 'NotReady', text)
      }, lookMs)
      timer.unref()
      return async () => {
        clearInterval(timer)
        for (const each of leave) each()
        stop.abort()
        await events.idle()
      }
    },
  )
}

/** After so many looks an event that is still true is written again: five minutes. */
const REMINDER = 60

const wordsOf = ({ first, last, problem }: Outage): string =>
  `the API server could not be reached from ${timeOf(first)} to ${timeOf(last)}: ${problem}; what is installed stayed, and pods whose ADD needed it are tried again`

const timeOf = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')

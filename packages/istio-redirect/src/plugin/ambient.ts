import type { EnablementSelector, PodInfo } from '@cni/istio-rules'
import { selects } from '@cni/istio-rules'
import type { AskOptions } from '@cni/kube'
import { namespaceLabels } from '@cni/kube'
import type { AddContext } from '@cni/skel'
import { messageOf } from '@cni/types'
import type { Conf } from '../conf/conf.ts'
import type { Settings } from '../conf/settings.ts'
import { announcePod } from './ambient-event.ts'

/** Announces the pod to the node agent if the ambient selectors choose the pod. */
export async function enrolIfAmbient(
  c: AddContext<Conf>,
  settings: Settings,
  pod: PodInfo,
  api: AskOptions,
): Promise<boolean> {
  if (!(await isChosen(c, settings, pod, api))) return false
  await announcePod(c, settings, pod)
  c.log.info('the node agent enrolled the pod in ambient mode', { pod: `${pod.namespace}/${pod.name}` })
  return true
}

async function isChosen(c: AddContext<Conf>, settings: Settings, pod: PodInfo, api: AskOptions): Promise<boolean> {
  const { ambientSelectors, ambientFailsClosed } = settings
  const left = chooseByPod(ambientSelectors, pod)
  if (typeof left === 'boolean') return left
  try {
    const labels = await namespaceLabels(pod.namespace, ambientFailsClosed ? api : { ...api, maxRequests: 2 })
    return left.some(({ namespaceSelector }) => selects(namespaceSelector ?? {}, labels))
  } catch (error) {
    if (ambientFailsClosed || c.signal.aborted) throw error
    const reason = messageOf(error)
    const name = `${pod.namespace}/${pod.name}`
    c.log.warn(`pod ${name} is treated as not ambient: the labels of its namespace cannot be read: ${reason}`, {
      pod: name,
      hint: 'enable_ambient_detection_retry: true makes such a pod fail to start instead',
    })
    return false
  }
}

/** Decides by the pod's labels if the pod is ambient. Returns the selectors whose namespace condition is undecided. */
export function chooseByPod(
  selectors: readonly EnablementSelector[],
  { labels }: Pick<PodInfo, 'labels'>,
): boolean | readonly EnablementSelector[] {
  const matching = selectors.filter(({ podSelector }) => selects(podSelector ?? {}, labels))
  if (matching.some(({ namespaceSelector }) => matchesAll(namespaceSelector ?? {}))) return true
  return matching.length === 0 ? false : matching
}

const matchesAll = (selector: NonNullable<EnablementSelector['namespaceSelector']>): boolean =>
  Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0

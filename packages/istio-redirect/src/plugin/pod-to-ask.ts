import type { AddContext } from '@cni/skel'
import { beforeAsking, podAnnotationsKey, quoted } from '../decide/before-asking.ts'
import type { PodIdentity } from '../kube/pod-identity.ts'
import type { Conf } from './conf.ts'
import type { Settings } from './settings.ts'

/** Walks the decision ladder as far as it goes without asking; `undefined` for a pod that is none of our business. */
export function podToAsk(c: AddContext<Conf>, settings: Settings): PodIdentity | undefined {
  const podAnnotations = c.conf.runtimeConfig?.[podAnnotationsKey]
  const first = beforeAsking({ pod: c.k8s, podAnnotations, settings })
  if (first.act !== 'skip') return first.pod
  c.log[first.level](first.reason, c.k8s && { pod: quoted(c.k8s) })
  return undefined
}

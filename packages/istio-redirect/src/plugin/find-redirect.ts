import type { AddContext } from '@cni/skel'
import { beforeAsking, podAnnotationsKey, quoted } from '../decide/before-asking.ts'
import type { FoundRedirect } from '../decide/redirection.ts'
import type { Conf } from './conf.ts'
import type { Settings } from './settings.ts'

/** Walks the decision ladder; `undefined` for a pod that is none of our business. */
export async function findRedirect(c: AddContext<Conf>, settings: Settings): Promise<FoundRedirect | undefined> {
  const podAnnotations = c.conf.runtimeConfig?.[podAnnotationsKey]
  const first = beforeAsking({ pod: c.k8s, podAnnotations, settings })
  if (first.act === 'skip') {
    c.log[first.level](first.reason, c.k8s && { pod: quoted(c.k8s) })
    return undefined
  }
  // What asks takes 1 ms to load: a pod that is skipped by now does without.
  const { redirectOfPod } = await import('./redirect-of-pod.ts')
  return redirectOfPod(c, settings, first.pod)
}

import type { AmbientPod, RedirectionStatus } from '@cni/istio-rules'
import type { KubeRequest } from '@cni/kube'
import { isKubeError } from '@cni/kube'
import { annotationPatch } from './annotation.ts'

/** Options of {@link annotationWriter}, which writes the redirection annotation of pods. */
export interface AnnotationWriterOptions {
  /** Sends a patch of a pod to the API server, and resolves with the pod's new `resourceVersion`. */
  readonly patch: (request: KubeRequest) => Promise<string | undefined>
  /** Called after each written annotation, with the pod's UID and the value of the annotation. */
  readonly wrote: (uid: string, status: RedirectionStatus | undefined, version: string | undefined) => void
}

/** Sets the redirection annotation of a pod to a status. Ignores deleted pods. */
export type WriteAnnotation = (
  pod: AmbientPod,
  status: RedirectionStatus | undefined,
  request?: KubeRequest,
) => Promise<void>

/** Creates a {@link WriteAnnotation}, which writes the redirection annotation of pods. */
export const annotationWriter =
  ({ patch, wrote }: AnnotationWriterOptions): WriteAnnotation =>
  async (pod, status, request = annotationPatch(pod, status)) => {
    if (request === undefined) return
    try {
      wrote(pod.uid, status, await patch(request))
    } catch (error) {
      if (!isKubeError(error) || error.status !== 404) throw error
    }
  }

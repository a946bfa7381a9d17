import type { AmbientPod, RedirectionStatus } from '@cni/istio-rules'
import type { KubeRequest } from '@cni/kube'
import { isKubeError } from '@cni/kube'
import { annotationPatch } from './annotation.ts'

/** What an {@link annotationWriter} asks and tells. */
export interface AnnotationWriterOptions {
  /** Asks the API server, and returns the version that came of it. */
  readonly patch: (request: KubeRequest) => Promise<string | undefined>
  /** Told what an annotation says now. */
  readonly wrote: (uid: string, status: RedirectionStatus | undefined, version: string | undefined) => void
}

/** Makes the annotation of a pod say this, unless it does. A pod that is not there any more is no error. */
export type WriteAnnotation = (
  pod: AmbientPod,
  status: RedirectionStatus | undefined,
  request?: KubeRequest,
) => Promise<void>

/** A {@link WriteAnnotation}. */
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

import { stringify } from 'yaml'
import type { Shared } from '../model/link.ts'
import { examplePod } from '../model/pod-input.ts'

/** Text that a shared link puts into the field for the pod: an example pod with the shared annotations and labels. */
export function podTextOf({ annotations, labels, settings }: Shared): string {
  const { apiVersion, kind, metadata, spec } = examplePod({ labels }, settings).document
  return stringify({ apiVersion, kind, metadata: { ...Object(metadata), annotations }, spec })
}

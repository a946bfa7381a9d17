import { stringify } from 'yaml'
import type { Shared } from '../model/link.ts'
import { examplePod } from '../model/pod-input.ts'

/** Text of an example pod with the annotations and labels of a shared link. */
export function podTextOf({ annotations, labels, settings }: Shared): string {
  const { apiVersion, kind, metadata, spec } = examplePod({ labels }, settings).document
  return stringify({ apiVersion, kind, metadata: { ...Object(metadata), annotations }, spec })
}

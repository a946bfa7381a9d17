import { type Guard, isFlag, isNumber, isText, listOf, membersOf, objectOf, optional } from '@cni/skel/plain'
import type { Pod } from './pod.ts'

const text = optional(isText)
const labels = optional(membersOf(isText))
const id = optional(isNumber)

const containers = listOf(
  objectOf({
    name: isText,
    args: optional(listOf(isText)),
    env: optional(listOf(objectOf({ name: isText, value: text }))),
    securityContext: optional(objectOf({ runAsUser: id, runAsGroup: id })),
  }),
)

/** Vouches for pods whose members that matter are as `parsePod` reads them. */
export const isPlainPod: Guard<Pod> = objectOf({
  metadata: objectOf({ name: isText, namespace: isText, labels, annotations: labels }),
  spec: objectOf({ hostNetwork: optional(isFlag), containers, initContainers: optional(containers) }),
})

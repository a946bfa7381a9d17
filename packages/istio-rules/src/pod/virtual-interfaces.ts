import { listEntries } from './list-entries.ts'
import { parseFrom } from './redirect-error.ts'
import { interfaces } from './validators.ts'

/** Annotation that lists the interfaces of virtual machines in an ambient pod. */
export const virtualKey = 'istio.io/reroute-virtual-interfaces'

/** Maximum length of the annotation with interfaces of virtual machines, in characters. */
export const MAX_VIRTUAL_CHARS = 32 * 1024

/**
 * Maximum number of virtual-machine interfaces of an ambient pod. Bounds the rules that the agent creates for the pod.
 */
const MAX_VIRTUAL_INTERFACES = 1024

/** Members of a pod that {@link virtualInterfaces} reads. */
export interface AnnotatedPod {
  readonly namespace: string
  readonly name: string
  readonly annotations: Readonly<Record<string, string>>
  /** Original length in characters of each annotation value that the agent has cut, by annotation key. */
  readonly tooLong?: Readonly<Record<string, number>> | undefined
}

/**
 * Lists the interfaces of virtual machines in an ambient pod, in the annotation's order.
 *
 * @throws `RedirectError` for a list above a limit, and for an invalid interface name.
 */
export function virtualInterfaces({ namespace, name, annotations, tooLong = {} }: AnnotatedPod): readonly string[] {
  const value = Object.hasOwn(annotations, virtualKey) ? (annotations[virtualKey] ?? '') : ''
  return parseFrom({ kind: 'annotation', key: virtualKey, value, owner: `pod ${namespace}/${name}` }, (text) => {
    const chars = tooLong[virtualKey] ?? text.length
    if (chars > MAX_VIRTUAL_CHARS) {
      throw new Error(`the list has ${chars} characters, at most ${MAX_VIRTUAL_CHARS} are possible: shorten it`)
    }
    // Ignores empty items of the annotation, as Istio does.
    const items = listEntries(text, MAX_VIRTUAL_INTERFACES).filter((item) => item.trim() !== '')
    return interfaces(items.join(','))
  })
}

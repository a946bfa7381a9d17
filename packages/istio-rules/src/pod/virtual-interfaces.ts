import { listEntries } from './list-entries.ts'
import { parseFrom } from './redirect-error.ts'
import { interfaces } from './validators.ts'

/** Annotation of ambient pods with virtual machines. */
export const virtualKey = 'istio.io/reroute-virtual-interfaces'

/** Longest list of virtual interfaces, in characters. Names have up to 15 characters, and blanks are allowed. */
export const MAX_VIRTUAL_CHARS = 32 * 1024

/** Largest number of virtual interfaces of an ambient pod. The agent creates the rules for them. */
const MAX_VIRTUAL_INTERFACES = 1024

/** Pod that {@link virtualInterfaces} reads. */
export interface AnnotatedPod {
  readonly namespace: string
  readonly name: string
  readonly annotations: Readonly<Record<string, string>>
  /** Annotations that are longer than the part that is kept: their length in characters. */
  readonly tooLong?: Readonly<Record<string, number>> | undefined
}

/**
 * Interfaces of virtual machines in an ambient pod, without duplicates, in order.
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
    // Empty items are ignored, as in Istio.
    const items = listEntries(text, MAX_VIRTUAL_INTERFACES).filter((item) => item.trim() !== '')
    return interfaces(items.join(','))
  })
}

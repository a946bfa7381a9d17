import { listEntries } from './list-entries.ts'
import { parseFrom } from './redirect-error.ts'
import { interfaces } from './validators.ts'

/** The annotation of ambient pods with virtual machines. */
export const virtualKey = 'istio.io/reroute-virtual-interfaces'

/** The longest list of virtual interfaces, in characters: names have up to 15, and there may be blanks. */
export const MAX_VIRTUAL_CHARS = 32 * 1024

/** Most virtual interfaces of an ambient pod: the agent itself makes the rules for them. */
const MAX_VIRTUAL_INTERFACES = 1024

/** What {@link virtualInterfaces} reads. */
export interface AnnotatedPod {
  readonly namespace: string
  readonly name: string
  readonly annotations: Readonly<Record<string, string>>
  /** Annotations that say more than is kept: their length in characters. */
  readonly tooLong?: Readonly<Record<string, number>> | undefined
}

/**
 * The interfaces of an ambient pod behind which virtual machines are, each once, in order.
 *
 * @throws `RedirectError` for a list above a bound, and for what cannot be the name of an interface.
 */
export function virtualInterfaces({ namespace, name, annotations, tooLong = {} }: AnnotatedPod): readonly string[] {
  const value = Object.hasOwn(annotations, virtualKey) ? (annotations[virtualKey] ?? '') : ''
  return parseFrom({ kind: 'annotation', key: virtualKey, value, owner: `pod ${namespace}/${name}` }, (text) => {
    const chars = tooLong[virtualKey] ?? text.length
    if (chars > MAX_VIRTUAL_CHARS) {
      throw new Error(`the list has ${chars} characters, at most ${MAX_VIRTUAL_CHARS} are possible: shorten it`)
    }
    // An empty item stands for nothing here, as in Istio.
    const items = listEntries(text, MAX_VIRTUAL_INTERFACES).filter((item) => item.trim() !== '')
    return interfaces(items.join(','))
  })
}

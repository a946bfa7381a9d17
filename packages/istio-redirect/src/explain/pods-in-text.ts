import { isObject, messageOf, quote } from '@cni/types'

/** Maximum length of the YAML or JSON text, in characters. */
const MAX_CHARS = 32 * 1024 * 1024

/** Pod document that is not validated yet, with the pod's name and namespace. */
export interface PodDocument {
  readonly name: string
  readonly namespace: string
  readonly document: Readonly<Record<string, unknown>>
}

/**
 * Returns a pod from a YAML or JSON text. The text may have several documents or a pod list of `kubectl`. The parameter
 * `name` selects the pod, as `name` or `namespace/name`.
 *
 * @param where - the source of the text, for messages
 * @throws an `Error` that names the source
 */
export async function podInText(text: string, where: string, name = ''): Promise<PodDocument> {
  const pods = (await documentsInText(text, where)).flatMap((document) => podsIn(document, where))
  const meant = name === '' ? pods : pods.filter((pod) => [pod.name, `${pod.namespace}/${pod.name}`].includes(name))
  const [pod, ...more] = meant
  if (pod !== undefined && more.length === 0) return pod
  const names = pods.map((each) => `${each.namespace}/${each.name}`).join(', ')
  if (pods.length === 0) throw new Error(`${where}: there is no pod in it`)
  if (pod === undefined) throw new Error(`${where}: there is no pod ${quote(name)} among ${names}`)
  throw new Error(`${where}: there are ${meant.length} pods in it, choose one with --name: ${names}`)
}

/**
 * Parses the documents of a YAML or JSON text.
 *
 * @param where - the source of the text, for messages
 * @throws an `Error` that names the source
 */
export async function documentsInText(text: string, where: string): Promise<readonly unknown[]> {
  if (text.length > MAX_CHARS) throw new Error(`${where} is larger than ${MAX_CHARS} bytes`)
  const { parseAllDocuments } = await import('yaml')
  // Refuses a duplicate key, because YAML parsers disagree about its value.
  const parsed = parseAllDocuments(text, { uniqueKeys: true })
  const all = Array.isArray(parsed) ? parsed : []
  for (const { errors } of all) {
    const [error] = errors
    if (error !== undefined) throw new Error(`${where}: ${error.message.split('\n', 1)[0]}`, { cause: error })
  }
  try {
    return all.map((document): unknown => document.toJS()).filter((document) => document !== null)
  } catch (cause) {
    throw new Error(`${where}: ${messageOf(cause)}`, { cause })
  }
}

function podsIn(document: unknown, where: string): readonly PodDocument[] {
  if (!isObject(document)) throw new Error(`${where}: it contains a document that is not a Kubernetes object`)
  const { kind, items, metadata } = document
  if (Array.isArray(items)) return items.flatMap((item) => podsIn(item, where))
  if (kind == null || kind === 'Pod') {
    const { name, namespace, generateName } = isObject(metadata) ? metadata : {}
    if (namespace != null && typeof namespace !== 'string') {
      throw new Error(`${where}: metadata.namespace is ${JSON.stringify(namespace)}, expected a text`)
    }
    return [{ name: text(name) ?? text(generateName) ?? '', namespace: text(namespace) ?? 'default', document }]
  }
  if (isObject(document.spec) && isObject(document.spec.template)) {
    throw new Error(
      `${where}: ${quote(String(kind))} is not a pod, and its template has no sidecar yet. Use a pod: kubectl get pod NAME -o yaml`,
    )
  }
  return []
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

import { documentsInText, type PodDocument, podInText } from '@cni/istio-redirect/explain'
import { isObject } from '@cni/types'
import type { Settings } from './settings.ts'

/** Maximum number of characters in a pasted pod. A pod with 256 KiB of annotations fits. */
export const MAX_POD_CHARS = 512 * 1024

/** The user's pasted pod after parsing, with the annotations and labels that a shared link contains. */
export interface PodInput {
  readonly pod: PodDocument
  readonly annotations: Readonly<Record<string, string>>
  readonly labels: Readonly<Record<string, string>>
  /** True if the user has pasted only annotations. The pod is then an example pod with these annotations. */
  readonly isExample: boolean
}

/** Parses the user's pasted text: a pod, or annotations alone. Throws an `Error` with a message for the user. */
export async function readPodInput(text: string, settings: Settings): Promise<PodInput> {
  if (text.length > MAX_POD_CHARS) {
    throw new Error(`the text has ${text.length} characters, at most ${MAX_POD_CHARS} are read: paste one pod`)
  }
  try {
    const annotations = await annotationsIn(text)
    const pod = annotations === undefined ? await podInText(text, 'the text') : examplePod({ annotations }, settings)
    return {
      pod: withSettings(pod, settings),
      annotations: annotations ?? textsOf(metadataOf(pod).annotations),
      labels: annotations === undefined ? textsOf(metadataOf(pod).labels) : {},
      isExample: annotations !== undefined,
    }
  } catch (error) {
    if (error instanceof RangeError) throw new Error('the text: values are nested too deep', { cause: error })
    throw error
  }
}

/**
 * Creates an example pod with the given annotations: an application container and, in sidecar mode, a proxy container.
 */
export function examplePod(
  metadata: {
    readonly annotations?: Readonly<Record<string, string>>
    readonly labels?: Readonly<Record<string, string>>
  },
  { mode }: Pick<Settings, 'mode'>,
): PodDocument {
  const status = mode === 'sidecar' ? { 'sidecar.istio.io/status': '{}' } : {}
  const containers = [{ name: 'app' }, ...(mode === 'sidecar' ? [{ name: 'istio-proxy' }] : [])]
  const document = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web',
      namespace: 'default',
      labels: metadata.labels ?? {},
      annotations: { ...status, ...metadata.annotations },
    },
    spec: { containers },
  }
  return { name: 'web', namespace: 'default', document }
}

/** Writes the page's settings into the pod as annotations and environment variables, as a user would set them. */
export function withSettings(pod: PodDocument, { mode, dns, interception, families }: Settings): PodDocument {
  const { metadata, spec } = pod.document
  const isSidecar = mode === 'sidecar'
  const capturesDns = dns === 'pod' ? undefined : String(dns === 'on')
  const variables = {
    ...(isSidecar && capturesDns !== undefined ? { ISTIO_META_DNS_CAPTURE: capturesDns } : {}),
    ...(isSidecar && families === 'dual' ? { ISTIO_DUAL_STACK: 'true' } : {}),
  }
  const changed = {
    ...(!isSidecar && capturesDns !== undefined ? { 'ambient.istio.io/dns-capture': capturesDns } : {}),
    ...(isSidecar && interception !== 'pod' ? { 'sidecar.istio.io/interceptionMode': interception } : {}),
  }
  const document = { ...pod.document }
  if (Object.keys(changed).length > 0 && isObject(metadata)) {
    const { annotations } = metadata
    document.metadata = { ...metadata, annotations: { ...(isObject(annotations) ? annotations : {}), ...changed } }
  }
  if (Object.keys(variables).length > 0 && isObject(spec)) {
    document.spec = {
      ...spec,
      ...withVariables(spec, 'containers', variables),
      ...withVariables(spec, 'initContainers', variables),
    }
  }
  return { ...pod, document }
}

/** Returns example addresses for the chosen IP families. `undefined` means that the pod's own addresses are used. */
export function addressesFor({ families }: Pick<Settings, 'families'>): readonly string[] | undefined {
  if (families === 'pod') return undefined
  const ipv4 = families === 'ipv6' ? [] : [EXAMPLE_ADDRESS.ipv4]
  return [...ipv4, ...(families === 'ipv4' ? [] : [EXAMPLE_ADDRESS.ipv6])]
}

/** Example addresses for a pod whose status has no addresses. */
export const EXAMPLE_ADDRESS = { ipv4: '10.244.1.5', ipv6: 'fd00:10:244:1::5' } as const

// internal

/** Returns the annotations if the user's text contains only a mapping of strings, and no pod. */
async function annotationsIn(text: string): Promise<Readonly<Record<string, string>> | undefined> {
  const [document, ...more] = await documentsInText(text, 'the text')
  if (document === undefined && more.length === 0) return {}
  if (!isObject(document) || more.length > 0) return undefined
  if (['kind', 'metadata', 'spec', 'items'].some((member) => Object.hasOwn(document, member))) return undefined
  const { annotations, ...others } = document
  const found = isObject(annotations) && Object.keys(others).length === 0 ? annotations : document
  const entries = Object.entries(found).map(([key, value]) => {
    if (typeof value === 'object' && value !== null)
      throw new Error(`the text: ${key} is not the value of an annotation`)
    return [key, value === null ? '' : String(value)] as const
  })
  return Object.fromEntries(entries)
}

function withVariables(
  spec: Readonly<Record<string, unknown>>,
  member: 'containers' | 'initContainers',
  variables: Readonly<Record<string, string>>,
) {
  const containers = spec[member]
  if (!Array.isArray(containers)) return {}
  const changed = containers.map((container: unknown) => {
    if (!isObject(container) || container.name !== 'istio-proxy') return container
    const env: unknown[] = Array.isArray(container.env) ? container.env : []
    const kept = env.filter((entry) => !isObject(entry) || !Object.hasOwn(variables, String(entry.name)))
    return { ...container, env: [...kept, ...Object.entries(variables).map(([name, value]) => ({ name, value }))] }
  })
  return { [member]: changed }
}

const metadataOf = ({ document }: PodDocument): Readonly<Record<string, unknown>> =>
  isObject(document.metadata) ? document.metadata : {}

const textsOf = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(isObject(value) ? value : {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  )

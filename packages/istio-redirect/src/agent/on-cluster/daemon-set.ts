import { isKubeError, type KubeClient, KubeError, kubeClient, serviceAccountAccess } from '@cni/kube'
import { messageOf, printable } from '@cni/types'
import * as z from 'zod/mini'
import { pause } from '../../pause.ts'
import type { ApiAccess } from '../shared/deps.ts'
import { choosesNode, needsLabels, nodeChoiceSchema } from './node-choice.ts'

/** Name of the agent's DaemonSet. The name is fixed, because the plugin recognizes the agent's pods by this name. */
export const DAEMON_SET = 'istio-cni-node'

/** Deadline in milliseconds for reading the DaemonSet when an agent stops, including all requests and pauses. */
export const READ_TIMEOUT_MS = 5000

/** Result of reading the DaemonSet when an agent stops: does a new agent replace the stopping one? */
export interface Verdict {
  /** True if a new agent follows on this node. `undefined` if unknown. */
  readonly needed: boolean | undefined
  /** Reason for the result. The text completes a sentence in the agent's log. */
  readonly why: string
  /** Error with which the API server refused to let the agent read its DaemonSet. */
  readonly refused?: KubeError | undefined
}

/** Reads the agent's DaemonSet from the API server. */
export interface DaemonSet {
  /** Checks if the agent's DaemonSet still exists and selects this node. Never rejects. */
  checkNeeded(options: { readonly signal: AbortSignal }): Promise<Verdict>
}

/** Options of {@link daemonSet}, the reader of the agent's DaemonSet. */
export interface DaemonSetOptions {
  /** Name of this node. The agent requests the Node object only if the DaemonSet selects nodes by labels. */
  readonly nodeName: string
  /** Deadline in milliseconds for reading the DaemonSet. Default {@link READ_TIMEOUT_MS}. */
  readonly timeoutMs?: number
  /** Pause in milliseconds between two attempts to read the DaemonSet. Default 1000. */
  readonly pauseMs?: number
}

/** Creates the reader of {@link DAEMON_SET}. Node selectors also require permission to get nodes. */
export function daemonSet(api: ApiAccess, options: DaemonSetOptions): DaemonSet {
  const { nodeName, timeoutMs = READ_TIMEOUT_MS, pauseMs = 1000 } = options
  const readVerdict = async (signal: AbortSignal): Promise<Verdict> => {
    const client = kubeClient(serviceAccountAccess(api), { userAgent: 'istio-cni-node', timeoutMs })
    const { metadata, spec } = await read(client, daemonSetPath(api.namespace), daemonSetSchema, signal)
    if (typeof metadata.deletionTimestamp === 'string')
      return { needed: false, why: `${daemonSetRef(api)} is being deleted` }
    const choice = spec.template.spec
    if (!needsLabels(choice)) return { needed: true, why: `${daemonSetRef(api)} exists` }
    const node = await read(client, `/api/v1/nodes/${encodeURIComponent(nodeName)}`, nodeSchema, signal)
    const chosen = choosesNode(choice, { name: nodeName, labels: node.metadata.labels ?? {} })
    return { needed: chosen, why: `${daemonSetRef(api)} ${chosen ? 'exists' : `does not select node ${nodeName}`}` }
  }
  return {
    async checkNeeded({ signal }) {
      if (api.namespace === '') return { needed: undefined, why: 'POD_NAMESPACE is not set' }
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      let why = `no answer within ${timeoutMs / 1000} s`
      let refused: KubeError | undefined
      for (let attempt = 1; attempt <= ATTEMPTS && !deadline.aborted; attempt += 1) {
        try {
          return await readVerdict(deadline)
        } catch (error) {
          const status = isKubeError(error) ? error.status : undefined
          if (status === 404 && isAbout(error, 'daemonsets'))
            return { needed: false, why: `there is no ${daemonSetRef(api)}` }
          // Treats status 401 as an uninstall, because an uninstall deletes the agent's service account.
          if (status === 401) return { needed: false, why: 'the service account of the agent is no longer valid' }
          if (!isKubeError(error) || error.code !== 'ABORTED') why = printable(messageOf(error))
          if (status === 403 && isKubeError(error)) refused = error
          if (!isTemporary(error)) break
        }
        // The pause between two attempts ends early at the deadline.
        if (attempt < ATTEMPTS) await pause(pauseMs, deadline)
      }
      return { needed: undefined, why, refused }
    },
  }
}

const ATTEMPTS = 3

const daemonSetRef = ({ namespace }: ApiAccess): string =>
  `DaemonSet ${DAEMON_SET} in namespace ${printable(namespace)}`

const daemonSetPath = (namespace: string): string =>
  `/apis/apps/v1/namespaces/${encodeURIComponent(namespace)}/daemonsets/${DAEMON_SET}`

const daemonSetSchema = z.object({
  metadata: z.object({ name: z.literal(DAEMON_SET), deletionTimestamp: z.nullish(z.string()) }),
  spec: z.object({ template: z.object({ spec: nodeChoiceSchema }) }),
})

const nodeSchema = z.object({
  metadata: z.object({ labels: z.nullish(z.record(z.string(), z.string())) }),
})

async function read<T>(client: KubeClient, path: string, schema: z.ZodMiniType<T>, signal: AbortSignal): Promise<T> {
  const parsed = schema.safeParse(await client.get(path, { signal }))
  if (parsed.success) return parsed.data
  const where = parsed.error.issues[0]?.path.map(String).join('.') || 'the document'
  throw new KubeError('BAD_ANSWER', `GET ${path}: ${where} is not what Kubernetes answers`)
}

/** True if the API server's error names this kind of object. Proxies also send status 404. */
const isAbout = (error: unknown, kind: string): boolean => isKubeError(error) && error.said?.startsWith(kind) === true

/** True for an API error that may be temporary, such as a timeout. */
function isTemporary(error: unknown): boolean {
  if (!isKubeError(error)) return false
  if (error.code === 'NETWORK' || error.code === 'TIMEOUT') return true
  return error.code === 'STATUS' && (error.status === 429 || (error.status ?? 0) >= 500)
}

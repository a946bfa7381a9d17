import { setTimeout as delay } from 'node:timers/promises'
import { isKubeError, type KubeClient, KubeError, kubeClient, serviceAccountAccess } from '@cni/kube'
import { messageOf, printable } from '@cni/types'
import * as z from 'zod/mini'
import type { ApiAccess } from '../part/services.ts'
import { choosesNode, needsLabels, nodeChoiceSchema } from './node-choice.ts'

/** The DaemonSet of the agent. Plugins let its pods pass by this name, so that it is always this one. */
export const DAEMON_SET = 'istio-cni-node'

/** How long a look at the DaemonSet takes at most, all requests and pauses together. */
export const LOOK_MS = 5000

/** Why an agent that was told to stop stops. */
export interface Verdict {
  /**
   * `true`: another agent follows on this node (an update, a deleted pod, a reboot). `false`: none does; the DaemonSet is
   * deleted, or chooses other nodes now. `undefined`: nobody could tell.
   */
  readonly wanted: boolean | undefined
  /** The reason, as the end of a sentence for the log. */
  readonly why: string
  /** What the API server said, where it does not allow to look. */
  readonly refused?: KubeError | undefined
}

/** The agent's DaemonSet, as the API server has it. */
export interface DaemonSet {
  /** Whether an agent is still wanted on this node. Takes at most {@link LOOK_MS}; never rejects. */
  stillWanted(options: { readonly signal: AbortSignal }): Promise<Verdict>
}

/** Settings of {@link daemonSet}. */
export interface DaemonSetOptions {
  /** Asks for nodes only when the DaemonSet chooses some by their labels. */
  readonly nodeName: string
  /** Default {@link LOOK_MS}. */
  readonly timeoutMs?: number
  /** Between two attempts; default a second. */
  readonly pauseMs?: number
}

/**
 * The DaemonSet {@link DAEMON_SET} in the agent's own namespace. Reading it needs `get` on it, and `get` on nodes when it
 * chooses nodes by their labels. A server that is away, overloaded or breaks is asked three times.
 */
export function daemonSet(api: ApiAccess, options: DaemonSetOptions): DaemonSet {
  const { nodeName, timeoutMs = LOOK_MS, pauseMs = 1000 } = options
  const look = async (signal: AbortSignal): Promise<Verdict> => {
    const client = kubeClient(serviceAccountAccess(api), { userAgent: 'istio-cni-node', timeoutMs })
    const { metadata, spec } = await read(client, daemonSetPath(api.namespace), daemonSetSchema, signal)
    if (typeof metadata.deletionTimestamp === 'string') return { wanted: false, why: `${named(api)} is being deleted` }
    const choice = spec.template.spec
    if (!needsLabels(choice)) return { wanted: true, why: `${named(api)} is there` }
    const node = await read(client, `/api/v1/nodes/${encodeURIComponent(nodeName)}`, nodeSchema, signal)
    const chosen = choosesNode(choice, { name: nodeName, labels: node.metadata.labels ?? {} })
    return { wanted: chosen, why: `${named(api)} ${chosen ? 'is there' : `does not choose node ${nodeName}`}` }
  }
  return {
    async stillWanted({ signal }) {
      if (api.namespace === '') return { wanted: undefined, why: 'POD_NAMESPACE is not set' }
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      let why = `no answer within ${timeoutMs / 1000} s`
      let refused: KubeError | undefined
      for (let attempt = 1; attempt <= ATTEMPTS && !deadline.aborted; attempt += 1) {
        try {
          return await look(deadline)
        } catch (error) {
          const status = isKubeError(error) ? error.status : undefined
          if (status === 404 && isAbout(error, 'daemonsets')) return { wanted: false, why: `there is no ${named(api)}` }
          // the service account is deleted with the DaemonSet, and its tokens with it
          if (status === 401) return { wanted: false, why: 'the service account of the agent is no longer valid' }
          if (!isKubeError(error) || error.code !== 'ABORTED') why = printable(messageOf(error))
          if (status === 403 && isKubeError(error)) refused = error
          if (!isPassing(error)) break
        }
        // the deadline ends the pause
        if (attempt < ATTEMPTS) await delay(pauseMs, undefined, { signal: deadline }).catch(() => {})
      }
      return { wanted: undefined, why, refused }
    },
  }
}

const ATTEMPTS = 3

const named = ({ namespace }: ApiAccess): string => `DaemonSet ${DAEMON_SET} in namespace ${printable(namespace)}`

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

/** A proxy in between says 404, too, and so does a server without this kind of object. */
const isAbout = (error: unknown, kind: string): boolean => isKubeError(error) && error.said?.startsWith(kind) === true

/** What may be over in a second. */
function isPassing(error: unknown): boolean {
  if (!isKubeError(error)) return false
  if (error.code === 'NETWORK' || error.code === 'TIMEOUT') return true
  return error.code === 'STATUS' && (error.status === 429 || (error.status ?? 0) >= 500)
}

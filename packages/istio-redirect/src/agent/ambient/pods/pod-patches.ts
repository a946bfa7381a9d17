import type { KubeRequest } from '@cni/kube'
import { isKubeError, keptClients, serviceAccountAccess } from '@cni/kube'
import { isObject } from '@cni/types'
import type { ApiAccess } from '../../shared/deps.ts'
import type { RequestReports } from '../../shared/server-reach.ts'

/** Sends patches of pods to the API server over connections that stay open. */
export interface PodPatches extends Disposable {
  /** Sends a patch of a pod, and resolves with the pod's new `resourceVersion`. */
  patch(request: KubeRequest): Promise<string | undefined>
}

/** Options of {@link podPatches}, which sends patches of pods to the API server. */
export interface PodPatchesOptions {
  readonly signal: AbortSignal
  /** Tracks if the API server is reachable, from the results of the patch requests. */
  readonly reach?: RequestReports | undefined
}

/** Creates the sender of pod patches. It connects to the API server with the first request. */
export function podPatches(api: ApiAccess, { signal, reach }: PodPatchesOptions): PodPatches {
  const clients = keptClients()
  return {
    async patch(request) {
      const client = clients.client(serviceAccountAccess(api), { userAgent: 'install-cni' })
      try {
        const version = versionOf(await client.send({ ...request, timeoutMs: PATCH_TIMEOUT_MS }, { signal }))
        reach?.answered()
        return version
      } catch (error) {
        if (isKubeError(error)) reach?.failed(error)
        throw error
      }
    },
    [Symbol.dispose]: () => clients[Symbol.dispose](),
  }
}

// internal

/** Deadline in milliseconds for a patch of a pod, shorter than the plugin's deadline. */
const PATCH_TIMEOUT_MS = 4000

function versionOf(answer: unknown): string | undefined {
  const metadata = isObject(answer) ? answer.metadata : undefined
  const version = isObject(metadata) ? metadata.resourceVersion : undefined
  return typeof version === 'string' ? version : undefined
}

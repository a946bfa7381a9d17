import type { KubeRequest } from '@cni/kube'
import { isKubeError, keptClients, serviceAccountAccess } from '@cni/kube'
import { isObject } from '@cni/types'
import type { RequestReports } from '../../part/server-reach.ts'
import type { ApiAccess } from '../../part/services.ts'

/** Asks the API server to change pods, over connections that are kept. */
export interface PodPatches extends Disposable {
  /** Returns the version that came of it. */
  patch(request: KubeRequest): Promise<string | undefined>
}

/** Settings of {@link podPatches}. */
export interface PodPatchesOptions {
  readonly signal: AbortSignal
  /** Told of what becomes of the requests. */
  readonly reach?: RequestReports | undefined
}

/** Connects at the first request. */
export function podPatches(api: ApiAccess, { signal, reach }: PodPatchesOptions): PodPatches {
  const kept = keptClients()
  return {
    async patch(request) {
      const client = kept.client(serviceAccountAccess(api), { userAgent: 'install-cni' })
      try {
        const version = versionOf(await client.send({ ...request, timeoutMs: PATCH_MS }, { signal }))
        reach?.answered()
        return version
      } catch (error) {
        if (isKubeError(error)) reach?.failed(error)
        throw error
      }
    },
    [Symbol.dispose]: () => kept[Symbol.dispose](),
  }
}

// internal

/** The plugin waits five seconds, of which ztunnel may take four. */
const PATCH_MS = 4000

function versionOf(answer: unknown): string | undefined {
  const metadata = isObject(answer) ? answer.metadata : undefined
  const version = isObject(metadata) ? metadata.resourceVersion : undefined
  return typeof version === 'string' ? version : undefined
}

import { isObject } from '@cni/types'
import type { KubeRequest } from '../../kube/client.ts'
import { keptClients } from '../../kube/kept-clients.ts'
import { serviceAccountAccess } from '../../kube/service-account.ts'
import type { ApiAccess } from '../services.ts'

/** Asks the API server to change pods, over connections that are kept. */
export interface PodPatches extends Disposable {
  /** Returns the version that came of it. */
  patch(request: KubeRequest): Promise<string | undefined>
}

/** Connects at the first request. */
export function podPatches(api: ApiAccess, signal: AbortSignal): PodPatches {
  const kept = keptClients()
  return {
    async patch(request) {
      const client = kept.client(serviceAccountAccess(api), { userAgent: 'install-cni' })
      return versionOf(await client.send({ ...request, timeoutMs: PATCH_MS }, { signal }))
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

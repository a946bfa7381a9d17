import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { StoredPod } from '@cni/kube/testing'
import { type ApiServer, startApiServer } from '@cni/kube/testing'
import type { PodIdentity } from '../../istio-rules/src/pod/pod-identity.ts'
import { type PodInfo, podInfo } from '../../istio-rules/src/pod/pod-info.ts'
import { kubeClient } from '../../kube/src/client/client.ts'
import { getPod } from '../../kube/src/client/get-pod.ts'
import { serviceAccountAccess } from '../../kube/src/config/service-account.ts'
import type { ListWatchOptions } from '../../kube/src/watch/list-watch.ts'
import { type PodWatches, podWatches, type WatchedPods } from '../src/agent/pods/pod-watches.ts'
import { repairGrants } from '../src/testing/grants.ts'

/** Watches of an API server's pods. What follows them ends with it. */
export interface PodsFixture extends AsyncDisposable {
  readonly api: ApiServer
  readonly watches: PodWatches
  /** The pods of node `n1`. */
  readonly pods: WatchedPods
  readonly signal: AbortSignal
  /** Asks for one pod, once. */
  ask(who: PodIdentity): Promise<PodInfo>
  /** How often pods were listed. */
  lists(): number
  /** How often single ones were asked for. */
  gets(): number
}

export async function podsFixture(
  pods: readonly StoredPod[] = [],
  watching: Pick<ListWatchOptions, 'silenceMs'> = {},
): Promise<PodsFixture> {
  const folder = mkdtempSync(join(tmpdir(), 'istio-pods-'))
  const api = await startApiServer({ pods, grants: repairGrants.repair })
  const account = { server: api.url, tokenFile: join(folder, 'token'), caFile: join(folder, 'ca.crt') }
  writeFileSync(account.tokenFile, api.token)
  writeFileSync(account.caFile, api.ca)
  const stop = new AbortController()
  const asked = (what: RegExp): number => api.requests.filter(({ url }) => what.test(url)).length
  return {
    api,
    watches: podWatches({ pause: () => delay(5), ...watching }),
    pods: { api: account, nodeName: 'n1' },
    signal: stop.signal,
    async ask(who) {
      const connect = async () => kubeClient(serviceAccountAccess(account))
      return podInfo(await getPod(who, { connect, signal: stop.signal, maxRequests: 1 }))
    },
    lists: () => asked(/limit=500/),
    gets: () => asked(/\/pods\/[^/]+$/),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await api.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The pod on node `n1`. */
export const onNode = (pod: StoredPod): StoredPod => ({ ...pod, spec: { ...pod.spec, nodeName: 'n1' } })

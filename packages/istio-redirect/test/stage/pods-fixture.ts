import { setTimeout as delay } from 'node:timers/promises'
import type { StoredPod } from '@cni/kube/testing'
import type { PodIdentity } from '../../../istio-rules/src/pod/pod-identity.ts'
import { podInfo } from '../../../istio-rules/src/pod/pod-info.ts'
import { kubeClient } from '../../../kube/src/client/client.ts'
import { getPod } from '../../../kube/src/client/get-pod.ts'
import { serviceAccountAccess } from '../../../kube/src/config/service-account.ts'
import { podWatches } from '../../src/agent/pods/pod-watches.ts'
import { repairGrants } from '../../src/testing/grants.ts'
import { stage } from './stage.ts'

/** Starts an API server with pods, and prepares watches of the pods. Disposing ends the watches. */
export const podsFixture = (pods: readonly StoredPod[] = []) =>
  stage({ api: { pods, grants: repairGrants.repair } }, ({ api, account, stack }) => {
    const { signal } = stack.adopt(new AbortController(), (stop) => stop.abort())
    const asked = (what: RegExp): number => api.requests.filter(({ url }) => what.test(url)).length
    return {
      api,
      watches: podWatches({ pause: () => delay(5) }),
      /** Selection of the watched pods: the pods of node `n1`. */
      pods: { api: account, nodeName: 'n1' },
      signal,
      /** Requests one pod from the API server, without a retry. */
      async ask(who: PodIdentity) {
        const connect = async () => kubeClient(serviceAccountAccess(account))
        return podInfo(await getPod(who, { connect, signal, maxRequests: 1 }))
      },
      /** Number of requests to the API server that listed pods. */
      lists: () => asked(/limit=500/),
      /** Number of requests to the API server for single pods. */
      gets: () => asked(/\/pods\/[^/]+$/),
    }
  })

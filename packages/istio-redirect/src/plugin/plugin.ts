import { VERSION } from '@cni/host/cli'
import { definePlugin } from '@cni/skel'
import { ISTIO_VERSION } from '../istio-version.ts'
import { mayBeServed } from './may-be-served.ts'

/**
 * `istio-cni`: redirects the traffic of a pod to the proxy beside it. Works behind any chain of plugins, and alone.
 */
export const plugin = definePlugin({
  name: 'istio-cni',
  about: 'CNI plugin istio-cni',
  release: `${VERSION}, for Istio ${ISTIO_VERSION}`,
  // Each call loads what it needs and no more: 6 ms less for VERSION.
  config: async () => (await import('./plain-conf.ts')).confSource,
  log: async ({ conf }) => (conf === undefined ? {} : (await import('./log-of-call.ts')).logOf(conf)),
  addAhead: async (c) => (mayBeServed(c) ? (await import('./add-served.ts')).addServed(c) : undefined),
  add: (c) => coded(async () => (await import('./add.ts')).add(c)),
  check: (c) => coded(async () => (await import('./check.ts')).check(c)),
  del: async (c) => (await import('./del.ts')).del(c),
  gc: (c) => coded(async () => (await import('./gc.ts')).gc(c)),
  status: (c) => coded(async () => (await import('./status.ts')).status(c)),
})

async function coded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw (await import('./failure-code.ts')).withFailureCode(error)
  }
}

import { VERSION } from '@cni/host/cli'
import { definePlugin } from '@cni/skel'
import { ISTIO_VERSION } from '../istio-version.ts'
import { logLevel, logSinks } from '../log/sinks.ts'
import { settingsOf } from './settings.ts'

/**
 * `istio-cni`: redirects the traffic of a pod to the proxy beside it. Works behind any chain of plugins, and alone.
 */
export const plugin = definePlugin({
  name: 'istio-cni',
  about: 'CNI plugin istio-cni',
  release: `${VERSION}, for Istio ${ISTIO_VERSION}`,
  log({ conf }) {
    if (conf === undefined) return {}
    const settings = settingsOf(conf)
    return { level: logLevel(settings.logLevel) ?? 'info', sinks: logSinks(settings) }
  },
  // Each call loads what it needs and no more: 6 ms less for VERSION.
  config: async () => (await import('./conf.ts')).confSchema,
  add: async (c) => (await import('./add.ts')).add(c),
  check: async (c) => (await import('./check.ts')).check(c),
  del: async (c) => (await import('./del.ts')).del(c),
  gc: async (c) => (await import('./gc.ts')).gc(c),
  status: async (c) => (await import('./status.ts')).status(c),
})

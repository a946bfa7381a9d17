/**
 * Exports the CNI plugin `istio-cni`. The decision about a pod is in `@cni/istio-rules`, the agent in
 * `@cni/istio-redirect/agent`.
 *
 * @example
 * ```ts
 * import { plugin } from '@cni/istio-redirect'
 * import { pluginMain } from '@cni/skel'
 *
 * pluginMain(plugin)
 * ```
 *
 * @module
 */

export { plugin } from './plugin/plugin.ts'

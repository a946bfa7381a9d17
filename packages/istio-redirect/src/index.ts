/**
 * The plugin `istio-cni` as a value, and its configuration. The decision and the rules are in `@cni/istio-rules`, the
 * node agent in `@cni/istio-redirect/agent`.
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

export { type Conf, confSchema } from './conf/conf.ts'
export { type Settings, settingsOf } from './conf/settings.ts'
export { plugin } from './plugin/plugin.ts'

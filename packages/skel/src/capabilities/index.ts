/**
 * What runtimes pass to a plugin that asks for it: the capabilities that the conventions of CNI name, read as runtimes
 * really write them.
 *
 * @example
 * ```ts
 * import { definePlugin, netConf } from '@cni/skel'
 * import { runtimeConfig } from '@cni/skel/capabilities'
 *
 * export const plugin = definePlugin({
 *   name: 'ports',
 *   chained: true,
 *   config: netConf({ runtimeConfig: runtimeConfig('portMappings') }),
 *   add(c) {
 *     for (const { hostPort, containerPort } of c.conf.runtimeConfig.portMappings) c.log.info('mapped', { hostPort, containerPort })
 *     return c.prevResult
 *   },
 * })
 * ```
 *
 * @module
 */

export type { Bandwidth, CapabilityName, IpRange, PortMapping } from './capability-schemas.ts'
export { runtimeConfig } from './runtime-config.ts'

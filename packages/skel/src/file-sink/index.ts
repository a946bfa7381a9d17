/**
 * The log of a plugin as a file that does not grow for ever.
 *
 * @example
 * ```ts
 * import { definePlugin } from '@cni/skel'
 * import { fileSink } from '@cni/skel/file-sink'
 *
 * const plugin = definePlugin({
 *   name: 'tag',
 *   log: () => ({ sinks: [fileSink({ path: '/var/log/cni/tag.log', keep: 3 })] }),
 *   add: (c) => c.prevResult ?? {},
 * })
 * ```
 *
 * @module
 */

export { type FileSinkOptions, fileSink } from './file-sink.ts'

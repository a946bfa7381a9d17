/**
 * Calls a plugin in the test's own process. Changes nothing on the machine, unless the test passes a real network
 * namespace. Use `fakeMachine` to test a daemon.
 *
 * @example
 * ```ts
 * import { definePlugin, netConf } from '@cni/skel'
 * import { testPlugin } from '@cni/skel/testing'
 * import * as z from 'zod/mini'
 *
 * const plugin = definePlugin({
 *   name: 'tag',
 *   chained: true,
 *   config: netConf({ tag: z.string() }),
 *   add: (c) => c.prevResult,
 * })
 *
 * const { error } = await testPlugin(plugin).add({ conf: { tag: 5 } })
 * error?.msg // 'tag: expected a string, got 5'
 * ```
 *
 * @module
 */

export { fakeMachine } from './fake-machine.ts'
export { fakeNetns } from './fake-netns.ts'
export { memoryStateFolder } from './memory-state-folder.ts'
export { type PluginTester, type TestCall, type TestOutcome, testPlugin } from './test-plugin.ts'

import { askRuntime } from './ask-runtime.ts'
import { judgeRuntime } from './judge-runtime.ts'

/**
 * Asks the node's container runtime, over its CRI socket, whether it runs a plugin.
 *
 * - `loaded`: the runtime has the plugin in the list of its default network
 * - `missing`: it runs pods without the plugin, or none at all
 * - `silent`: its network is ready, and that is all it says. CRI-O and cri-dockerd answer like this.
 *
 * `text` is the reason: one line, bounded, without anything a terminal would act on.
 *
 * @param options - `type` of the plugin. `chained: false`: the plugin has a file of its own, which another plugin names.
 * `timeoutMs` is for connection and answer together, 3000 by default.
 * @throws `Error` where there is no valid answer in time. The message ends a sentence that names the socket.
 */
export async function pluginInRuntime(
  socket: string,
  {
    type,
    chained,
    ...asking
  }: {
    readonly type: string
    readonly chained: boolean
    readonly signal?: AbortSignal
    readonly timeoutMs?: number
  },
): Promise<{ readonly state: 'loaded' | 'missing' | 'silent'; readonly text: string }> {
  return judgeRuntime(await askRuntime(socket, asking), { type, chained })
}

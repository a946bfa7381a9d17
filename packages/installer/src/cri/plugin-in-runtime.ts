import { askRuntime } from './ask-runtime.ts'
import { judgeRuntime } from './judge-runtime.ts'

/**
 * Asks the node's container runtime over its CRI socket if it runs a plugin.
 *
 * - `loaded`: the list of its default network has the plugin.
 * - `missing`: it runs pods without the plugin, or no pods.
 * - `silent`: its network is ready, but it does not report its plugins. CRI-O and cri-dockerd answer like this.
 *
 * `text` is the reason: one line of limited length, without characters that act on a terminal.
 *
 * @param options - `type` is the plugin's type. Set `chained: false` for a plugin with its own file, which another
 * plugin names. Set `timeoutMs` to limit connection and answer together. Default: 3000.
 * @throws `Error` if no valid answer arrives in time. The message is the end of a sentence that names the socket.
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

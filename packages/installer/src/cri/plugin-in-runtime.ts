import { askRuntime } from './ask-runtime.ts'
import { judgeRuntime } from './judge-runtime.ts'

/**
 * Asks the node's container runtime over its CRI socket if it runs a plugin.
 *
 * - `loaded`: the plugin list of the container runtime's default network has the plugin.
 * - `missing`: the container runtime runs pods without the plugin, or cannot run pods.
 * - `silent`: the runtime's network is ready, but the runtime does not report the plugins in it. CRI-O and cri-dockerd
 *   answer like this.
 *
 * `text` is the reason: one line of limited length, without control characters.
 *
 * @param options - `type` is the plugin's type. Set `chained: false` for a plugin with a configuration file of its own,
 *   which another plugin calls by name. Set `timeoutMs` to limit connection and answer together. Default: 3000.
 * @throws `Error` if no valid answer arrives in time. Print the socket's path before the message. Example of a message:
 *   `it is not a socket`.
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

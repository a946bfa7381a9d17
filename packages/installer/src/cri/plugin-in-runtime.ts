import { askRuntime } from './ask-runtime.ts'
import { judgeRuntime } from './judge-runtime.ts'

/**
 * Asks the node's container runtime over its CRI socket if it runs a plugin.
 *
 * - `loaded`: the container runtime's default network has the plugin.
 * - `missing`: the container runtime runs pods without the plugin, or cannot run pods.
 * - `silent`: the container runtime does not report plugins. CRI-O and cri-dockerd answer like this.
 *
 * `text` is the reason, in one line without control characters.
 *
 * @param options - `type` is the plugin's type. Set `chained: false` for a plugin that another plugin calls by name.
 * `timeoutMs` limits connection and answer together. Default: 3000.
 * @throws `Error` if no valid answer arrives in time. Print the socket's path before the error message, which is for
 * example `it is not a socket`.
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

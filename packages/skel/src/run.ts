import { performCall } from './call/perform.ts'
import { immediateAnswer } from './definition/immediate.ts'
import type { Plugin } from './definition/plugin.ts'
import type { PluginIo, PluginOutcome } from './io.ts'
import { isMarked } from './uninstalled/marked.ts'
import { markedCall } from './uninstalled/uninstalled-plugin.ts'

/**
 * Performs one CNI call of a plugin, with all input and output through `io`. Never exits the process and never rejects.
 *
 * @example
 * ```ts
 * const { exitCode, stdout } = await runPlugin(plugin, {
 *   env: { CNI_COMMAND: 'VERSION' },
 *   stdin: () => '',
 * })
 * ```
 */
export async function runPlugin(plugin: Plugin, io: PluginIo): Promise<PluginOutcome> {
  const stderr: string[] = []
  const write = (line: string): void => {
    stderr.push(line)
    io.stderr?.(line)
  }
  const immediate = immediateAnswer(plugin, io.env)
  if (immediate !== undefined) {
    for (const line of immediate.stderr.match(/.*\n/g) ?? []) io.stderr?.(line)
    return immediate
  }
  const marked =
    io.executable !== undefined && isMarked(io.executable)
      ? markedCall(plugin, io.executable, io.env.CNI_COMMAND)
      : { plugin }
  return { ...(await performCall(marked, io, write)), stderr: stderr.join('') }
}

import { basename } from 'node:path'
import { confBytes, confVersion, type PluginInput } from './conf.ts'
import { isInvokeError } from './errors.ts'
import type { ExecOutcome, InvokeOptions } from './exec.ts'
import { pluginFailure } from './failure.ts'
import { realExec } from './real-exec.ts'
import { type PluginResult, readResult } from './result.ts'

type ExecPluginOptions = Parameters<typeof execPlugin>[2]

/**
 * Executes a plugin and returns its stdout. Forwards the plugin's stderr while the plugin runs.
 *
 * @param path - path of the plugin's executable, from {@link Exec.find}.
 * @param options - `env` is the plugin's whole environment, as {@link pluginEnv} builds it.
 * @throws {@link PluginError} for a failed plugin, with the plugin's own message.
 */
export async function execPlugin(
  path: string,
  conf: PluginInput,
  options: InvokeOptions & { readonly env: NonNullable<InvokeOptions['env']> },
): Promise<string> {
  const plugin = basename(path)
  const outcome = await outcomeOf(path, conf, options)
  const failure = pluginFailure(plugin, outcome)
  if (failure !== undefined) throw failure
  return outcome.stdout
}

/**
 * Executes a plugin's ADD and parses the result.
 *
 * @example
 * ```ts
 * const path = realExec().find('bridge', ['/opt/cni/bin'])
 * const env = pluginEnv('ADD', { containerID: 'c1', netns: '/run/netns/c1', ifName: 'eth0', path: ['/opt/cni/bin'] })
 * const { result } = await execWithResult(path, conf, { env, timeout: 60_000 })
 * ```
 */
export async function execWithResult(
  path: string,
  conf: PluginInput,
  options: ExecPluginOptions,
): Promise<PluginResult> {
  const stdout = await execPlugin(path, conf, options)
  return readResult(basename(path), stdout, fallbackVersion(path, conf))
}

function outcomeOf(path: string, conf: PluginInput, options: ExecPluginOptions): Promise<ExecOutcome> {
  const { exec = realExec(), env, signal, timeout, stderr = toOwnStderr } = options
  return exec.run({ path, stdin: confBytes(conf), env, signal, timeout, stderr })
}

/** CNI version to assume for a plugin's result without `cniVersion`. */
function fallbackVersion(path: string, conf: PluginInput): string {
  try {
    return confVersion(basename(path), conf)
  } catch (error) {
    if (isInvokeError(error)) return '0.1.0'
    throw error
  }
}

function toOwnStderr(chunk: Uint8Array): void {
  process.stderr.write(chunk)
}

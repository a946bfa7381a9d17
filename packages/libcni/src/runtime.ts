import { type Exec, type InvokeOptions, type PluginCall, pluginEnv, realExec } from '@cni/invoke'
import type { PluginConf, Verb } from '@cni/types'
import type { Attachment } from './attachment.ts'
import { DEFAULT_CACHE_DIR } from './cache/cache.ts'
import type { OperationReport } from './reports/operation-report.ts'

/** What {@link cni} takes. */
export interface CniOptions extends Omit<InvokeOptions, 'timeout'> {
  /** The folders to look for plugins in, and the `CNI_PATH` they get. */
  readonly path: readonly string[]
  /** Where results are remembered; default `/var/lib/cni`. */
  readonly cacheDir?: string | undefined
  /** Milliseconds for one operation, all plugins of the list together; none by default. */
  readonly timeout?: number | undefined
  /** Told of every operation but `validate`, once it has ended; see `operationMetrics`. What it throws is ignored. */
  readonly observe?: ((report: OperationReport) => void) | undefined
}

/** What one operation may set for itself. */
export interface OperationOptions {
  readonly signal?: AbortSignal | undefined
  readonly timeout?: number | undefined
}

/** One operation: {@link CniOptions} with their defaults, and one signal for everything that may end it. */
export interface Operation {
  readonly path: readonly string[]
  readonly cacheDir: string
  readonly exec: Exec
  readonly invoke: InvokeOptions
}

/** The start of an operation: from here on its time runs. */
export function operation(options: CniOptions, own: OperationOptions = {}): Operation {
  const { path, cacheDir = DEFAULT_CACHE_DIR, exec = realExec(), env, stderr } = options
  const timeout = own.timeout ?? options.timeout
  const signals = [options.signal, own.signal, timeout === undefined ? undefined : AbortSignal.timeout(timeout)]
  const given = signals.filter((signal) => signal !== undefined)
  const signal = given.length > 1 ? AbortSignal.any(given) : given[0]
  return { path, cacheDir, exec, invoke: { exec, env, stderr, signal } }
}

/** The options to execute one plugin of a list with. */
export function pluginOptions(op: Operation, verb: Verb, args: Partial<PluginCall>) {
  return { ...op.invoke, exec: op.exec, env: pluginEnv(verb, { ...args, path: op.path }, op.invoke.env) }
}

/** What the environment of a plugin says about an attachment. */
export function argsOf(rt: Attachment): Omit<PluginCall, 'path'> {
  const { containerID, netns, ifName, args } = rt
  return { containerID, netns, ifName, ...(args === undefined ? {} : { args }) }
}

/** A plugin in an error message, as runtimes write it. */
export function describePlugin({ type, name }: PluginConf): string {
  const shown = `type=${JSON.stringify(type)}`
  return typeof name === 'string' && name !== '' ? `${shown} name=${JSON.stringify(name)}` : shown
}

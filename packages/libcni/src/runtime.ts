import { type Exec, type InvokeOptions, type PluginCall, pluginEnv, realExec } from '@cni/invoke'
import type { PluginConf, Verb } from '@cni/types'
import type { Attachment } from './attachment.ts'
import { DEFAULT_CACHE_DIR } from './cache/cache.ts'
import type { OperationReport } from './reports/operation-report.ts'

/** Options of {@link cni}. */
export interface CniOptions extends Omit<InvokeOptions, 'timeout'> {
  /** Plugin folders, also passed to plugins as `CNI_PATH`. */
  readonly path: readonly string[]
  /** Cache folder. Default: `/var/lib/cni`. */
  readonly cacheDir?: string | undefined
  /** Milliseconds for one operation, all plugins of the list together. Default: no limit. */
  readonly timeout?: number | undefined
  /**
   * Receives a report of every finished operation except for `validate`; see `operationMetrics`. Its errors are
   * ignored.
   */
  readonly observe?: ((report: OperationReport) => void) | undefined
}

/** Options of one operation. */
export interface OperationOptions {
  readonly signal?: AbortSignal | undefined
  readonly timeout?: number | undefined
}

/** One operation: {@link CniOptions} with defaults, and one signal that combines all reasons to end it. */
export interface Operation {
  readonly path: readonly string[]
  readonly cacheDir: string
  readonly exec: Exec
  readonly invoke: InvokeOptions
}

/** Starts an operation and its timeout. */
export function operation(options: CniOptions, own: OperationOptions = {}): Operation {
  const { path, cacheDir = DEFAULT_CACHE_DIR, exec = realExec(), env, stderr } = options
  const timeout = own.timeout ?? options.timeout
  const signals = [options.signal, own.signal, timeout === undefined ? undefined : AbortSignal.timeout(timeout)]
  const given = signals.filter((signal) => signal !== undefined)
  const signal = given.length > 1 ? AbortSignal.any(given) : given[0]
  return { path, cacheDir, exec, invoke: { exec, env, stderr, signal } }
}

/** Options to execute one plugin of a list. */
export function pluginOptions(op: Operation, verb: Verb, args: Partial<PluginCall>) {
  return { ...op.invoke, exec: op.exec, env: pluginEnv(verb, { ...args, path: op.path }, op.invoke.env) }
}

/** Members of an attachment for a plugin's environment. */
export function argsOf(rt: Attachment): Omit<PluginCall, 'path'> {
  const { containerID, netns, ifName, args } = rt
  return { containerID, netns, ifName, ...(args === undefined ? {} : { args }) }
}

/** Describes a plugin in an error message, as runtimes do. */
export function describePlugin({ type, name }: PluginConf): string {
  const shown = `type=${JSON.stringify(type)}`
  return typeof name === 'string' && name !== '' ? `${shown} name=${JSON.stringify(name)}` : shown
}

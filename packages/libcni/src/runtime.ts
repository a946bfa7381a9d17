import { type Exec, type InvokeOptions, type PluginCall, pluginEnv, realExec } from '@cni/invoke'
import type { PluginConf, Verb } from '@cni/types'
import type { Attachment } from './attachment.ts'
import { DEFAULT_CACHE_DIR } from './cache/cache.ts'
import type { OperationReport } from './reports/operation-report.ts'

/** Options of the runtime that {@link cni} creates. */
export interface CniOptions extends Omit<InvokeOptions, 'timeout'> {
  /** Folders in which the runtime searches for plugins. Plugins get the folders as `CNI_PATH`. */
  readonly path: readonly string[]
  /** Folder in which the runtime caches attachments. Default: `/var/lib/cni`. */
  readonly cacheDir?: string | undefined
  /** Time limit of one operation in milliseconds, for all plugins of the list together. Default: no limit. */
  readonly timeout?: number | undefined
  /**
   * Function that receives a report of every finished operation except `validate`. The runtime ignores an error of the
   * function.
   */
  readonly observe?: ((report: OperationReport) => void) | undefined
}

/** Options of one operation, such as one ADD of a list. */
export interface OperationOptions {
  readonly signal?: AbortSignal | undefined
  readonly timeout?: number | undefined
}

/** Settings of one running operation: {@link CniOptions} with defaults and one abort signal. */
export interface Operation {
  readonly path: readonly string[]
  readonly cacheDir: string
  readonly exec: Exec
  readonly invoke: InvokeOptions
}

/** Combines the options for one operation and starts the operation's timeout. */
export function operation(options: CniOptions, own: OperationOptions = {}): Operation {
  const { path, cacheDir = DEFAULT_CACHE_DIR, exec = realExec(), env, stderr } = options
  const timeout = own.timeout ?? options.timeout
  const signals = [options.signal, own.signal, timeout === undefined ? undefined : AbortSignal.timeout(timeout)]
  const given = signals.filter((signal) => signal !== undefined)
  const signal = given.length > 1 ? AbortSignal.any(given) : given[0]
  return { path, cacheDir, exec, invoke: { exec, env, stderr, signal } }
}

/** Options with which an operation calls one plugin of the list. */
export function pluginOptions(op: Operation, verb: Verb, args: Partial<PluginCall>) {
  return { ...op.invoke, exec: op.exec, env: pluginEnv(verb, { ...args, path: op.path }, op.invoke.env) }
}

/** Values of an attachment that the plugins get as environment variables. */
export function argsOf(rt: Attachment): Omit<PluginCall, 'path'> {
  const { containerID, netns, ifName, args } = rt
  return { containerID, netns, ifName, ...(args === undefined ? {} : { args }) }
}

/** Describes a plugin for an error message by its type and name, in the words of the Go library. */
export function describePlugin({ type, name }: PluginConf): string {
  const shown = `type=${JSON.stringify(type)}`
  return typeof name === 'string' && name !== '' ? `${shown} name=${JSON.stringify(name)}` : shown
}

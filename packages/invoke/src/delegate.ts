import { errorLine, type Result, type Verb } from '@cni/types'
import type { PluginInput } from './conf.ts'
import { delegateEnv, splitCniPath } from './env.ts'
import { isPluginError, PluginError } from './errors.ts'
import type { InvokeOptions } from './exec.ts'
import { execWithoutResult, execWithResult } from './exec-plugin.ts'
import { realExec } from './real-exec.ts'

/** {@link InvokeOptions} of a delegated ADD. */
export interface DelegateAddOptions extends InvokeOptions {
  /** Run DEL of the same plugin when its ADD fails, as the specification asks of whoever delegates. */
  readonly addOrUndo?: boolean
  /** Milliseconds for that DEL, which runs even when the caller's signal has aborted; default 2000. */
  readonly undoTimeout?: number
}

/**
 * Runs ADD of another plugin on behalf of this one: found in this plugin's `CNI_PATH`, in this plugin's environment,
 * with this plugin's configuration. `env`, `signal` and `raw` of a handler's context fit as they are.
 *
 * @throws {@link PluginError} with the delegate's own code and message.
 *
 * @example
 * ```ts
 * const ipam = await delegateAdd('host-local', c.raw, { env: c.env, signal: c.signal, addOrUndo: true })
 * ```
 */
export async function delegateAdd(type: string, conf: PluginInput, options: DelegateAddOptions = {}): Promise<Result> {
  const { addOrUndo = false, undoTimeout = 2000, ...invoke } = options
  const { path, exec } = findDelegate(type, invoke)
  try {
    const { result } = await execWithResult(path, conf, { ...invoke, exec, env: delegateEnv('ADD', invoke.env) })
    return result
  } catch (error) {
    if (!addOrUndo) throw error
    throw await undo(error, () => delegateDel(type, conf, { ...invoke, exec, signal: undefined, timeout: undoTimeout }))
  }
}

/** Runs CHECK of another plugin on behalf of this one. */
export function delegateCheck(type: string, conf: PluginInput, options?: InvokeOptions): Promise<void> {
  return delegate('CHECK', type, conf, options)
}

/** Runs DEL of another plugin on behalf of this one. */
export function delegateDel(type: string, conf: PluginInput, options?: InvokeOptions): Promise<void> {
  return delegate('DEL', type, conf, options)
}

/** Runs STATUS of another plugin on behalf of this one. */
export function delegateStatus(type: string, conf: PluginInput, options?: InvokeOptions): Promise<void> {
  return delegate('STATUS', type, conf, options)
}

/** Runs GC of another plugin on behalf of this one. */
export function delegateGC(type: string, conf: PluginInput, options?: InvokeOptions): Promise<void> {
  return delegate('GC', type, conf, options)
}

async function delegate(verb: Verb, type: string, conf: PluginInput, options: InvokeOptions = {}): Promise<void> {
  const { path, exec } = findDelegate(type, options)
  await execWithoutResult(path, conf, { ...options, exec, env: delegateEnv(verb, options.env) })
}

function findDelegate(type: string, options: InvokeOptions) {
  const exec = options.exec ?? realExec()
  const { CNI_PATH } = options.env ?? process.env
  return { exec, path: exec.find(type, splitCniPath(CNI_PATH)) }
}

/** The error of the ADD, which tells of a failed DEL as well: the ADD is what the operator has to fix first. */
async function undo(error: unknown, del: () => Promise<void>): Promise<unknown> {
  try {
    await del()
    return error
  } catch (delError) {
    if (!isPluginError(error)) return new AggregateError([error, delError], errorLine(error), { cause: error })
    const details = [error.details, `undoing it failed as well (DEL): ${errorLine(delError)}`]
    return new PluginError(error.code, error.message, error, {
      cause: new AggregateError([error, delError], 'ADD and then DEL failed'),
      details: details.filter(Boolean).join('; '),
    })
  }
}

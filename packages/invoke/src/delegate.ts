import { errorLine, gte, type Result, type Verb } from '@cni/types'
import { confVersion, type PluginInput } from './conf.ts'
import { confInVersion } from './conf-in-version.ts'
import { chooseVersion, isVersionRefusal, versionsInRefusal } from './delegate-version.ts'
import { delegateEnv, splitCniPath } from './env.ts'
import { isInvokeError, isPluginError, PluginError } from './errors.ts'
import type { InvokeOptions } from './exec.ts'
import { execPlugin } from './exec-plugin.ts'
import { assertPluginName } from './find.ts'
import { realExec } from './real-exec.ts'
import { readResult } from './result.ts'
import { knownVersions, rememberVersions, supportedVersions } from './supported-versions.ts'

/** Input for calling a delegate. A handler can pass its context `c` unchanged. */
export interface DelegationContext {
  /** Configuration for the delegate. In a handler's context, it is the delegating plugin's own configuration. */
  readonly raw: PluginInput
  /** Environment of the delegate. Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** AbortSignal that kills the delegate and its children. A killed call fails with code 11. */
  readonly signal?: AbortSignal | undefined
  /** Registers the delegate's DEL as a rollback step. The delegating plugin runs this step if its own ADD fails. */
  undo?(step: (options: { readonly signal: AbortSignal }) => Promise<void>): void
}

/** Options for running a delegate. */
export interface DelegateOptions extends Pick<InvokeOptions, 'exec' | 'timeout' | 'stderr'> {
  /**
   * Milliseconds for the DEL that reverts a failed ADD of the delegate. Default: 2000. This DEL runs even if the caller
   * has aborted.
   */
  readonly undoTimeout?: number | undefined
}

/**
 * One plugin that runs on behalf of another plugin. All calls use a CNI version that both plugins support. Results are
 * returned in the 1.1.0 model.
 */
export interface Delegate {
  /** Type of the delegate: the file name of its executable. */
  readonly type: string
  /**
   * Runs ADD of the delegate, and DEL if ADD fails. Also registers the DEL with the context's `undo`.
   *
   * @throws {@link PluginError} with the delegate's own code and message.
   */
  add(): Promise<Result>
  /**
   * Runs CHECK of the delegate. CNI has CHECK since version 0.4.0.
   *
   * @returns `done` and the version of the call, or `skipped` and the reason.
   */
  check(): Promise<
    { readonly kind: 'done'; readonly cniVersion: string } | { readonly kind: 'skipped'; readonly reason: string }
  >
  /** Runs DEL of the delegate. */
  del(): Promise<void>
  /** Runs GC of the delegate. CNI has GC since version 1.1.0. */
  gc(): ReturnType<Delegate['check']>
  /** Runs STATUS of the delegate. CNI has STATUS since version 1.1.0. */
  status(): ReturnType<Delegate['check']>
}

/**
 * Creates a delegate: another plugin that runs on behalf of the calling plugin. Uses the context's environment and
 * configuration, and searches in `CNI_PATH`. If the delegate rejects the configuration's version, uses the newest older
 * common version. Without an older common version, uses the oldest newer one.
 *
 * @throws {@link InvokeError} `NO_NAME` or `INVALID_NAME` for a type that is not a file name.
 *
 * @example
 * ```ts
 * const { interfaces = [] } = await delegate('bridge', { ...c, raw: { ...conf, type: 'bridge' } }).add()
 * ```
 */
export function delegate(type: string, c: DelegationContext, options: DelegateOptions = {}): Delegate {
  assertPluginName(type)
  const { undoTimeout = 2000, exec = realExec(), timeout, stderr } = options
  const { raw, env, signal } = c
  const invoke: InvokeOptions = { exec, timeout, stderr, env, signal }
  // Versions that the delegate supports. The process-wide cache covers only plugins that are files.
  let learned: readonly string[] | undefined

  const find = () => exec.find(type, splitCniPath((env ?? process.env).CNI_PATH))
  const learn = (path: string, versions: readonly string[]) => {
    learned = versions
    rememberVersions(path, options.exec, versions)
    return versions
  }

  /** Runs a verb of the delegate, unless the given CNI version lacks the verb. */
  const askIn = async (version: string, verb: Verb, path: string, how: InvokeOptions): Promise<Answer> => {
    if (isBefore(version, verb)) return { version }
    const conf = confInVersion(type, raw, version)
    return { version, stdout: await execPlugin(path, conf, { ...how, env: delegateEnv(verb, env) }) }
  }
  const ask = async (verb: Verb, path: string, how = invoke): Promise<Answer> => {
    const written = confVersion(type, raw)
    const versions = learned ?? knownVersions(path, options.exec)
    const first = (versions && chooseVersion(written, versions)) ?? written
    try {
      return await askIn(first, verb, path, how)
    } catch (refusal) {
      if (!isVersionRefusal(refusal)) throw refusal
      const supported = learn(path, versionsInRefusal(refusal) ?? (await supportedVersions(path, options.exec, how)))
      const second = chooseVersion(written, supported)
      if (second === undefined || second === first) throw refusal
      return askIn(second, verb, path, how)
    }
  }
  const outcomeOf = (verb: Verb, { version, stdout }: Answer): DelegationOutcome => {
    if (stdout !== undefined) return { kind: 'done', cniVersion: version }
    const own = version === confVersion(type, raw)
    const why = own ? `the configuration is of version ${version}` : `${type} knows ${version} at most`
    return { kind: 'skipped', reason: `${verb} came with version ${SINCE.get(verb) ?? ''}, and ${why}` }
  }
  // Queries the versions first: a plugin without GC or STATUS would fail with an unrelated error.
  const askSupported = async (verb: 'GC' | 'STATUS'): Promise<DelegationOutcome> => {
    const path = find()
    learned ??= await supportedVersions(path, options.exec, invoke)
    return outcomeOf(verb, await ask(verb, path))
  }

  return {
    type,
    async add() {
      const path = find()
      const adding = ask('ADD', path)
      let undone: Promise<void> | undefined
      const undo = (by?: { readonly signal: AbortSignal }): Promise<void> => {
        undone ??= undoAdd(adding, () => ask('DEL', path, { ...invoke, signal: by?.signal, timeout: undoTimeout }))
        return undone
      }
      c.undo?.(undo)
      try {
        const { version, stdout = '' } = await adding
        return readResult(type, stdout, version).result
      } catch (error) {
        throw await undoFailed(error, undo)
      }
    },
    check: async () => outcomeOf('CHECK', await ask('CHECK', find())),
    del: async () => void (await ask('DEL', find())),
    gc: () => askSupported('GC'),
    status: () => askSupported('STATUS'),
  }
}

type DelegationOutcome = Awaited<ReturnType<Delegate['check']>>

/** Output of a delegate's call, and the version of the call. `stdout` is missing if the call was skipped. */
interface Answer {
  readonly version: string
  readonly stdout?: string
}

/** CNI version that introduced each verb. A verb that is not in this map exists since version 0.1.0. */
const SINCE: ReadonlyMap<Verb, string> = new Map([
  ['CHECK', '0.4.0'],
  ['GC', '1.1.0'],
  ['STATUS', '1.1.0'],
])

function isBefore(version: string, verb: Verb): boolean {
  const since = SINCE.get(verb)
  return since !== undefined && !gte(version, since)
}

/** Reverts the delegate's ADD: waits for ADD to end, then runs DEL. */
async function undoAdd(adding: Promise<unknown>, del: () => Promise<unknown>): Promise<void> {
  try {
    await adding
  } catch (error) {
    if (isInvokeError(error) || isVersionRefusal(error)) return
  }
  await del()
}

/** Runs `undo` and returns ADD's error, because the operator must fix it first. Adds an error of `undo` to it. */
async function undoFailed(error: unknown, undo: () => Promise<void>): Promise<unknown> {
  try {
    await undo()
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

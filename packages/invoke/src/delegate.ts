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

/** What a delegating plugin has to say; the context of its handler fits as it is. */
export interface DelegationContext {
  /** The configuration for the delegate: that of the delegating plugin, as it came. */
  readonly raw: PluginInput
  /** The environment for the delegate; default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Ends the delegate and its children; the call then fails with code 11. */
  readonly signal?: AbortSignal | undefined
  /** Takes the inverse of `add` when it begins. */
  undo?(step: (options: { readonly signal: AbortSignal }) => Promise<void>): void
}

/** How a delegate is run. */
export interface DelegateOptions extends Pick<InvokeOptions, 'exec' | 'timeout' | 'stderr'> {
  /** Milliseconds for the DEL that takes back a failed ADD; it runs even when the caller has given up. Default 2000. */
  readonly undoTimeout?: number | undefined
}

/**
 * One plugin on behalf of another. All verbs speak a version that both know: the delegate's copy of the configuration
 * says that version, and a result comes back in the 1.1.0 model.
 */
export interface Delegate {
  /** The delegate's `type`. */
  readonly type: string
  /**
   * Runs ADD. When it fails, DEL has run before this rejects; when it succeeds, DEL is what the context's `undo` got.
   *
   * @throws {@link PluginError} with the delegate's own code and message.
   */
  add(): Promise<Result>
  /**
   * Runs CHECK, which came with 0.4.0.
   *
   * @returns `done` and the version the delegate was asked in, or `skipped` and why the delegate was not asked.
   */
  check(): Promise<
    { readonly kind: 'done'; readonly cniVersion: string } | { readonly kind: 'skipped'; readonly reason: string }
  >
  /** Runs DEL. */
  del(): Promise<void>
  /** Runs GC, which came with 1.1.0. */
  gc(): ReturnType<Delegate['check']>
  /** Runs STATUS, which came with 1.1.0. */
  status(): ReturnType<Delegate['check']>
}

/**
 * Another plugin, to be run on behalf of this one: found in the `CNI_PATH` of the context's environment, run in that
 * environment, with that configuration. Nothing runs before the first call.
 *
 * The delegate is asked in the configuration's own version. If it refuses that, it is asked again in the newest version
 * before it that both know, else in the oldest after it. The process remembers that for its next call, for as long as the
 * executable is the same file.
 *
 * @throws {@link InvokeError} `NO_NAME` or `INVALID_NAME` for a type that is not the name of a file.
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
  // Kept here as well: what is remembered of a process is of files, and a caller's `Exec` need not run files.
  let learned: readonly string[] | undefined

  const find = () => exec.find(type, splitCniPath((env ?? process.env).CNI_PATH))
  const learn = (path: string, versions: readonly string[]) => {
    learned = versions
    rememberVersions(path, options.exec, versions)
    return versions
  }

  /** Runs a verb in a version, unless the verb came later. */
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
  // Asked for its versions first, because a plugin older than these verbs fails with whatever it misses.
  const askForNews = async (verb: 'GC' | 'STATUS'): Promise<DelegationOutcome> => {
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
        undone ??= takeBack(adding, () => ask('DEL', path, { ...invoke, signal: by?.signal, timeout: undoTimeout }))
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
    gc: () => askForNews('GC'),
    status: () => askForNews('STATUS'),
  }
}

type DelegationOutcome = Awaited<ReturnType<Delegate['check']>>

/** What a verb printed, in the version it was asked in; no text when it was not asked. */
interface Answer {
  readonly version: string
  readonly stdout?: string
}

/** The versions that brought a verb, where that is not the first one. */
const SINCE: ReadonlyMap<Verb, string> = new Map([
  ['CHECK', '0.4.0'],
  ['GC', '1.1.0'],
  ['STATUS', '1.1.0'],
])

function isBefore(version: string, verb: Verb): boolean {
  const since = SINCE.get(verb)
  return since !== undefined && !gte(version, since)
}

/** DEL after an ADD that has ended; nothing after one that did not begin, or was refused for its version. */
async function takeBack(adding: Promise<unknown>, del: () => Promise<unknown>): Promise<void> {
  try {
    await adding
  } catch (error) {
    if (isInvokeError(error) || isVersionRefusal(error)) return
  }
  await del()
}

/** The error of the ADD, which tells of a failed DEL as well: the ADD is what the operator has to fix first. */
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

import { CNI_VERSIONS, CniError, ErrorCode, encodeError, isObject, toErrorDocument, type Verb } from '@cni/types'
import { InvokeError } from '../errors.ts'
import type { Exec, ExecOutcome, ExecRequest } from '../exec.ts'

/** One execution of a fake plugin, recorded in the `calls` of {@link fakeExec}. */
export interface FakeCall {
  readonly type: string
  readonly path: string
  readonly command: string
  /** Parsed configuration that the fake plugin received. */
  readonly conf: Readonly<Record<string, unknown>>
  /** Configuration text that the fake plugin received on stdin. */
  readonly stdin: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal | undefined
}

type FakePlugin = Parameters<typeof fakeExec>[0][string]
type FakeAnswer = Readonly<Record<string, unknown>> | ((call: FakeCall) => unknown)

const FOLDER = '/fake'
const OUTCOME = Symbol('outcome')

/**
 * Replaces plugins by functions, for tests without processes. Finds every plugin of `plugins` in `/fake`.
 *
 * Verbs that a fake plugin does not define succeed:
 * - ADD returns its `prevResult`.
 * - VERSION returns every version.
 * - other verbs print nothing.
 *
 * If a fake plugin's VERSION lists `supportedVersions`, the plugin rejects other versions.
 *
 * @param plugins - each fake plugin is one function for all verbs, or an answer for each verb. An answer is the object
 *   to print, or a function. The function returns the object to print (`undefined` prints nothing), throws the error to
 *   report, or returns an {@link outcome}.
 * @returns an {@link Exec} without processes that records its `calls`.
 * @example
 * ```ts
 * const exec = fakeExec({
 *   'host-local': { ADD: { cniVersion: '1.1.0', ips: [{ address: '10.1.0.2/24' }] } },
 *   broken: () => { throw new CniError(ErrorCode.tryAgainLater, 'no agent') },
 * })
 * await delegate('host-local', { raw: conf, env: { CNI_PATH: '/opt/cni/bin' } }, { exec }).add()
 * exec.calls.map((call) => `${call.command} ${call.type}`) // ['ADD host-local']
 * ```
 */
export function fakeExec(
  plugins: Readonly<
    Record<
      string,
      | ((call: FakeCall) => unknown)
      | { readonly [verb in Verb | 'VERSION']?: Readonly<Record<string, unknown>> | ((call: FakeCall) => unknown) }
    >
  >,
): Exec & { readonly calls: readonly FakeCall[] } {
  const calls: FakeCall[] = []
  return {
    calls,
    find(plugin, paths) {
      if (plugin === '') throw new InvokeError('NO_NAME', plugin, 'no plugin name provided')
      if (plugin.includes('/')) throw new InvokeError('INVALID_NAME', plugin, `invalid plugin name: ${plugin}`)
      if (paths.length === 0) throw new InvokeError('NO_PATHS', plugin, 'no paths provided')
      if (Object.hasOwn(plugins, plugin)) return `${FOLDER}/${plugin}`
      throw new InvokeError('NOT_FOUND', plugin, `failed to find plugin "${plugin}" in path [${paths.join(' ')}]`)
    },
    async run(request) {
      const call = callOf(request)
      const plugin = plugins[call.type]
      calls.push(call)
      if (request.signal?.aborted) return stopped(request)
      // Listens for the abort before the fake plugin runs, because the fake plugin's own function may abort the call.
      const done = await Promise.race([stopped(request), perform(plugin ?? {}, call)])
      if (done.stderr !== '') request.stderr?.(new TextEncoder().encode(done.stderr))
      return done
    },
  }
}

/**
 * Raw outcome of a fake plugin: a crash, invalid output, or nothing.
 *
 * @example
 * ```ts
 * fakeExec({ crashing: () => outcome({ signal: 'SIGSEGV', stderr: 'panic: …' }) })
 * ```
 */
export function outcome(facts: {
  readonly exitCode?: number
  readonly signal?: NodeJS.Signals
  readonly stdout?: string
  readonly stderr?: string
}): object {
  return { [OUTCOME]: ended(facts) }
}

/** Resolves with the outcome of a killed plugin at an abort or deadline. */
function stopped({ signal, timeout }: ExecRequest): Promise<ExecOutcome> {
  return new Promise((resolve) => {
    const stop = (reason: 'aborted' | 'timeout', message: string) =>
      resolve({ ...ended({ signal: 'SIGKILL' }), stopped: { reason, message } })
    const abort = () => stop('aborted', 'killed because the caller gave up')
    if (signal?.aborted) return abort()
    signal?.addEventListener('abort', abort, { once: true })
    if (timeout === undefined) return
    AbortSignal.timeout(timeout).addEventListener('abort', () => stop('timeout', 'killed at the deadline'))
  })
}

async function perform(plugin: FakePlugin, call: FakeCall): Promise<ExecOutcome> {
  try {
    const answer = typeof plugin === 'function' ? plugin : answerOf(plugin, call)
    const printed: unknown = typeof answer === 'function' ? await answer(call) : answer
    if (isObject(printed) && OUTCOME in printed) return printed[OUTCOME] as ExecOutcome
    return ended({ stdout: printed === undefined ? '' : JSON.stringify(printed) })
  } catch (error) {
    return ended({ exitCode: 1, stdout: encodeError(toErrorDocument(error)) })
  }
}

function answerOf(plugin: Exclude<FakePlugin, (call: FakeCall) => unknown>, call: FakeCall): FakeAnswer {
  refuseVersion(plugin.VERSION, call)
  const answer = Object.entries(plugin).find(([verb]) => verb === call.command)?.[1]
  if (answer !== undefined) return answer
  switch (call.command) {
    case 'ADD':
      return () => call.conf.prevResult ?? {}
    case 'VERSION':
      return { cniVersion: '1.1.0', supportedVersions: CNI_VERSIONS }
    case 'CHECK':
    case 'DEL':
    case 'GC':
    case 'STATUS':
      return () => undefined
    default:
      throw new CniError(ErrorCode.invalidEnvironment, `unknown CNI_COMMAND: ${call.command}`)
  }
}

/** Rejects an unsupported version of the configuration, as plugins of Go's skeleton do. */
function refuseVersion(answer: FakeAnswer | undefined, { command, conf }: FakeCall): void {
  const supported: unknown = typeof answer === 'object' ? answer.supportedVersions : undefined
  if (!Array.isArray(supported) || command === 'VERSION') return
  const version = conf.cniVersion || '0.1.0'
  const isNews = command === 'GC' || command === 'STATUS'
  if (isNews && !supported.includes('1.1.0')) throw new CniError(ErrorCode.unknownContainer, 'missing containerID')
  if (supported.includes(version)) return
  throw new CniError(ErrorCode.incompatibleVersion, 'incompatible CNI versions', {
    details: `config is ${JSON.stringify(version)}, plugin supports [${supported.map((one) => JSON.stringify(one)).join(' ')}]`,
  })
}

function callOf({ path, stdin, env, signal }: ExecRequest): FakeCall {
  const text = typeof stdin === 'string' ? stdin : new TextDecoder().decode(stdin)
  const conf: unknown = JSON.parse(text)
  return {
    type: path.slice(path.lastIndexOf('/') + 1),
    path,
    command: env.CNI_COMMAND ?? '',
    conf: isObject(conf) ? conf : {},
    stdin: text,
    env,
    signal,
  }
}

function ended({ exitCode, signal, stdout = '', stderr = '' }: Parameters<typeof outcome>[0]): ExecOutcome {
  return {
    exitCode: signal === undefined ? (exitCode ?? 0) : null,
    signal: signal ?? null,
    stdout,
    stderr,
    durationMs: 0,
  }
}

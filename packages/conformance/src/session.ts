import { CNI_VERSIONS, isObject, type JsonObject, messageOf } from '@cni/types'
import { type AttachedPod, type AttachSettings, attachTo, resultIn } from './attached-pod.ts'
import type { Check } from './check.ts'
import type { Context, Working } from './context.ts'
import { onlyDocument, readStdout } from './exchange/documents.ts'
import type { ExchangeRequest } from './exchange/exchange.ts'
import { failureText } from './judge/expect-success.ts'
import type { CheckResult, Exchange, Finding } from './model.ts'
import { createPod } from './world/pod.ts'
import { becamePlugin, isRunning, PATH, settled, type World } from './world/world.ts'

/** Options of a run of the suite, with all defaults. */
export interface Settings {
  readonly plugin: string
  readonly conf: JsonObject
  /**
   * `cniVersion` of the configurations that the plugin gets. `undefined` means the newest version in the plugin's
   * answer to VERSION.
   */
  readonly version: string | undefined
  readonly chained: boolean
  readonly path: string
  readonly args: string | undefined
  readonly timeout: number
  readonly signal: AbortSignal | undefined
}

/** A run of the suite: calls the plugin, and collects all calls and findings. */
export interface Session {
  readonly supportedVersions: readonly string[] | undefined
  readonly version: string
  readonly exchanges: readonly Exchange[]
  run(check: Check): Promise<CheckResult>
}

// Number of plugin calls that time out before the suite stops calling the plugin.
const MAX_TIMEOUTS = 5
// Maximum number of parallel plugin processes. The concurrency check starts exactly this number.
const MAX_PARALLEL = 8

/** Starts a run of the suite: calls VERSION to learn which versions the plugin supports. */
export async function openSession(settings: Settings, world: World): Promise<Session> {
  const exchanges: Exchange[] = []
  const enter = limiter(MAX_PARALLEL)
  const execute = (execution: ExchangeRequest) => enter(() => executeOnce(execution))
  const shared: AttachSettings = { conf: settings.conf, path: settings.path, args: settings.args, execute }
  const supportedVersions = versionsIn(
    await execute({ env: versionEnv(settings.path), stdin: { cniVersion: '1.0.0' } }),
  )
  const version = settings.version ?? newestKnown(supportedVersions) ?? '1.0.0'
  let plainAdd: Promise<Exchange> | undefined

  return { supportedVersions, version, exchanges, run }

  async function run(check: Check): Promise<CheckResult> {
    const begun = performance.now()
    const outcome = await outcomeOf(check)
    const { id, group, title, spec } = check
    return { id, group, title, spec, outcome, durationMs: Math.round(performance.now() - begun) }
  }

  async function outcomeOf(check: Check): Promise<CheckResult['outcome']> {
    if (!check.usesEarlierCalls && exchanges.filter(({ timedOut }) => timedOut).length >= MAX_TIMEOUTS) {
      return { status: 'blocked', reason: `gave up: ${MAX_TIMEOUTS} executions did not end in time` }
    }
    world.renew()
    const findings: Finding[] = []
    const notes: string[] = []
    const pods: AsyncDisposable[] = []
    let skipped: string | undefined
    let blocked: string | undefined
    const found = (severity: Finding['severity']) => (summary: string, why: string, exchange?: Exchange) =>
      void findings.push({ severity, summary, why, spec: check.spec, ...(exchange && { exchange }) })
    const ctx: Context = {
      chained: settings.chained,
      timeout: settings.timeout,
      supportedVersions,
      version,
      world,
      exchanges,
      execute,
      attach: (given = version) => attach(pods, given),
      plainAdd: () => {
        plainAdd ??= addOnce()
        return plainAdd
      },
      working: async () => {
        const exchange = await ctx.plainAdd()
        const result = resultIn(exchange)
        if (result !== undefined) return { exchange, result } satisfies Working
        ctx.block(`ADD with this configuration ${failureText(exchange)}`)
        return undefined
      },
      violation: found('violation'),
      advice: found('advice'),
      note: (text) => void notes.push(text),
      skip: (reason) => {
        skipped = reason
      },
      block: (reason) => {
        blocked ??= reason
      },
    }
    try {
      await check.run(ctx)
    } catch (error) {
      if (settings.signal?.aborted) throw error
      blocked = `the check itself failed: ${messageOf(error)}`
    } finally {
      for (const pod of pods) await pod[Symbol.asyncDispose]()
    }
    if (findings.length > 0) return { status: 'fail', findings, notes, ...(blocked !== undefined && { blocked }) }
    if (blocked !== undefined) return { status: 'blocked', reason: blocked }
    if (skipped !== undefined) return { status: 'skipped', reason: skipped }
    return notes.length > 0 ? { status: 'note', notes } : { status: 'pass' }
  }

  async function attach(pods: AsyncDisposable[], given: string): Promise<AttachedPod> {
    const pod = await createPod(world.node, settings.chained)
    pods.push(pod)
    return attachTo(pod, given, shared)
  }

  async function addOnce(): Promise<Exchange> {
    const pods: AsyncDisposable[] = []
    try {
      const attached = await attach(pods, version)
      const exchange = await attached.add()
      await attached.del()
      return exchange
    } finally {
      for (const pod of pods) await pod[Symbol.asyncDispose]()
    }
  }

  async function executeOnce({
    env,
    stdin = '',
    streams,
    special,
    onStarted,
    timeout,
  }: ExchangeRequest): Promise<Exchange> {
    settings.signal?.throwIfAborted()
    const given = Object.fromEntries(
      Object.entries({ PATH, ...env }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    )
    const input = isObject(stdin) && !(stdin instanceof Uint8Array) ? JSON.stringify(stdin) : stdin
    const started = world.start({
      env: given,
      timeout: timeout ?? settings.timeout,
      signal: settings.signal,
      ...(streams?.stdin === undefined ? { input } : {}),
      ...(streams === undefined ? {} : { streams }),
    })
    if (onStarted !== undefined && (await becamePlugin(started.pid, settings.timeout))) {
      await onStarted(
        (signal) => started.kill(signal),
        () => isRunning(started.pid),
      )
    }
    const result = await settled(started)
    settings.signal?.throwIfAborted()
    const exchange: Exchange = {
      env: given,
      stdin: typeof input === 'string' ? input : Buffer.from(input).toString(),
      ...(special === undefined ? {} : { special }),
      exitCode: result.exitCode,
      signal: result.signal,
      stdout: result.stdout,
      stderr: result.stderr,
      durationMs: Math.round(result.durationMs),
      timedOut: result.timedOut,
    }
    exchanges.push(exchange)
    return exchange
  }
}

/** Environment variables of a VERSION call. Sets unused variables to `dummy`, as podman does. */
export function versionEnv(path: string): Record<string, string> {
  return { CNI_COMMAND: 'VERSION', CNI_CONTAINERID: 'dummy', CNI_NETNS: 'dummy', CNI_IFNAME: 'dummy', CNI_PATH: path }
}

function versionsIn({ exitCode, stdout }: Exchange): string[] | undefined {
  const document = exitCode === 0 ? (onlyDocument(stdout) ?? readStdout(stdout).documents[0]) : undefined
  const list = isObject(document) ? document.supportedVersions : undefined
  return Array.isArray(list) ? list.filter((version) => typeof version === 'string') : undefined
}

function newestKnown(claimed: readonly string[] | undefined): string | undefined {
  return CNI_VERSIONS.findLast((version) => claimed?.includes(version))
}

/** Returns a function that runs async functions, at most `most` in parallel. Further async functions wait. */
function limiter(max: number): <T>(body: () => Promise<T>) => Promise<T> {
  const waiting: Array<() => void> = []
  let running = 0
  return async (body) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve))
    running++
    try {
      return await body()
    } finally {
      running--
      waiting.shift()?.()
    }
  }
}

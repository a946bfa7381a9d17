import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { isObject, type JsonObject, parseJson } from '@cni/types'
import type { Check } from './check.ts'
import { checks } from './checks.ts'
import { ConformanceError } from './errors.ts'
import type { CheckResult, Report } from './model.ts'
import { openSession, type Settings } from './session.ts'
import { world } from './world/world.ts'

/** What to check, and how. */
export interface ConformanceOptions {
  /** Path of the executable. */
  readonly plugin: string
  /** A file, or its content: a plugin's configuration, or a list that has one for it. Default: a minimal one. */
  readonly conf?: string | JsonObject | undefined
  /** The plugin comes after others: its pods have an interface, and ADD gets a prevResult. Default: false. */
  readonly chained?: boolean | undefined
  /** Ids or groups of checks. Default: all. */
  readonly only?: readonly string[] | undefined
  /** Ids or groups of checks. */
  readonly skip?: readonly string[] | undefined
  /** Folders, joined by `:`, for plugins it calls. Default: its own, /opt/cni/bin and /usr/lib/cni. */
  readonly cniPath?: string | undefined
  /** CNI_ARGS of every call. */
  readonly args?: string | undefined
  /** Milliseconds an execution may take. Default: 10000. */
  readonly timeout?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Called before each check. */
  readonly onCheck?: ((check: Check, index: number, total: number) => void) | undefined
}

/**
 * Runs the checks against a plugin, in a namespace that plays the node. Needs root.
 * Throws a {@link ConformanceError} when it cannot; what is wrong with the plugin is in the report.
 *
 * @example
 * const report = await conformance({ plugin: '/opt/cni/bin/my-plugin', chained: true })
 */
export async function conformance(options: ConformanceOptions): Promise<Report> {
  const { only = [], skip = [], onCheck } = options
  const selected = select(only, skip)
  const settings = settingsOf(options)
  if (process.getuid?.() !== 0) {
    throw new ConformanceError('NOT_ROOT', 'Needs root: it makes network namespaces for the plugin to work in')
  }
  const begun = performance.now()
  await using place = await world(settings.plugin)
  try {
    const session = await openSession(settings, place)
    const results: CheckResult[] = []
    for (const [index, check] of selected.entries()) {
      onCheck?.(check, index, selected.length)
      results.push(await session.run(check))
    }
    return {
      plugin: settings.plugin,
      chained: settings.chained,
      supportedVersions: session.supportedVersions,
      version: session.version,
      results,
      ...summary(results),
      executions: session.exchanges.length,
      durationMs: Math.round(performance.now() - begun),
    }
  } catch (error) {
    if (!options.signal?.aborted) throw error
    throw new ConformanceError('ABORTED', 'Stopped before all checks were done', { cause: error })
  }
}

function summary(results: readonly CheckResult[]): Pick<Report, 'counts' | 'conforms'> {
  const counts = { pass: 0, fail: 0, note: 0, skipped: 0, violation: 0, advice: 0 }
  for (const { outcome } of results) {
    counts[outcome.status]++
    if (outcome.status === 'fail') for (const { severity } of outcome.findings) counts[severity]++
  }
  return { counts, conforms: counts.violation === 0 }
}

function select(only: readonly string[], skip: readonly string[]): Check[] {
  const matches = (name: string) => (check: Check) => check.id === name || check.group === name
  const unknown = [...only, ...skip].find((name) => !checks.some(matches(name)))
  if (unknown !== undefined) {
    const message = `Unknown check ${JSON.stringify(unknown)}: use an id or a group that --list shows`
    throw new ConformanceError('UNKNOWN_CHECK', message)
  }
  const wanted = (check: Check) => only.length === 0 || only.some((name) => matches(name)(check))
  return checks.filter((check) => wanted(check) && !skip.some((name) => matches(name)(check)))
}

function settingsOf(options: ConformanceOptions): Settings {
  const { chained = false, timeout = 10_000, args, signal } = options
  const plugin = resolve(options.plugin)
  assertExecutable(plugin)
  const type = basename(plugin)
  return {
    plugin,
    conf: { name: 'conformance', type, ...confOf(options.conf, type) },
    configured: options.conf !== undefined,
    chained,
    path: options.cniPath ?? [dirname(plugin), '/opt/cni/bin', '/usr/lib/cni'].join(':'),
    args,
    timeout,
    signal,
  }
}

function assertExecutable(plugin: string): void {
  if (!existsSync(plugin)) throw new ConformanceError('NO_PLUGIN', `There is no plugin at ${JSON.stringify(plugin)}`)
  try {
    accessSync(plugin, constants.X_OK)
  } catch (cause) {
    throw new ConformanceError('NO_PLUGIN', `Not executable: ${JSON.stringify(plugin)}`, { cause })
  }
}

function confOf(given: string | JsonObject | undefined, type: string): JsonObject {
  if (given === undefined) return {}
  const conf = typeof given === 'string' ? readConf(given) : given
  if (!Array.isArray(conf.plugins)) return conf
  const own = conf.plugins.find((each) => isObject(each) && each.type === type)
  if (!isObject(own)) {
    throw new ConformanceError('INVALID_CONFIG', `The configuration list has no plugin of type ${JSON.stringify(type)}`)
  }
  const { name, cniVersion } = conf
  return { ...own, ...(name === undefined ? {} : { name }), ...(cniVersion === undefined ? {} : { cniVersion }) }
}

function readConf(file: string): JsonObject {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new ConformanceError('NO_CONFIG', `Could not read the configuration: ${why}`, { cause })
  }
  let conf: unknown
  try {
    conf = parseJson(text, file)
  } catch (cause) {
    throw new ConformanceError('INVALID_CONFIG', cause instanceof Error ? cause.message : String(cause), { cause })
  }
  if (!isObject(conf)) throw new ConformanceError('INVALID_CONFIG', `${file}: expected a JSON object`)
  return conf
}

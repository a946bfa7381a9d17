import { basename } from 'node:path'
import { type PluginError, pluginFailure, readResult } from '@cni/invoke'
import { errorLine, isObject } from '@cni/types'
import type { Execution } from './observe-exec.ts'
import { diffResults, type ResultChange } from './result-diff.ts'

/** What one execution of a plugin did and how long it took. */
export interface ExecutionReport {
  readonly command: string
  readonly type: string
  readonly path: string
  readonly containerID?: string
  readonly ifName?: string
  readonly durationMs: number
  readonly exitCode: number | null
  readonly signal?: NodeJS.Signals
  readonly error?: { readonly code: number; readonly msg: string; readonly reason: PluginError['reason'] }
  /** What a successful ADD changed in the result, compared with the `prevResult` it was given. */
  readonly changes?: ReadonlyArray<{
    readonly op: 'add' | 'remove' | 'change' | 'reorder'
    /** `ips[1].gateway`; the index is that in the later result, for something removed that in the earlier one. */
    readonly path: string
    readonly before?: unknown
    readonly after?: unknown
  }>
}

/**
 * Tells an execution as a {@link ExecutionReport}; pure.
 *
 * @example
 * ```ts
 * const reports: ExecutionReport[] = []
 * const exec = observeExec(realExec(), (execution) => reports.push(executionReport(execution)))
 * await cni({ path, exec }).add(list, rt)
 * ```
 */
export function executionReport(execution: Execution): ExecutionReport {
  const { path, env } = execution.request
  const facts = executionFacts(execution)
  const changes =
    facts.error === undefined && env.CNI_COMMAND === 'ADD' ? changesOf(basename(path), execution) : undefined
  return { ...facts, ...(changes === undefined ? {} : { changes }) }
}

/** The report without what an ADD changed, which takes longest to find out; pure. */
export function executionFacts({ request: { path, env }, outcome }: Execution): ExecutionReport {
  const { exitCode, signal, durationMs } = outcome
  const type = basename(path)
  const failure = pluginFailure(type, outcome)
  return {
    command: env.CNI_COMMAND ?? '',
    type,
    path,
    ...(env.CNI_CONTAINERID ? { containerID: env.CNI_CONTAINERID } : {}),
    ...(env.CNI_IFNAME ? { ifName: env.CNI_IFNAME } : {}),
    durationMs,
    exitCode,
    ...(signal === null ? {} : { signal }),
    ...(failure === undefined
      ? {}
      : { error: { code: failure.code, msg: errorLine(failure), reason: failure.reason } }),
  }
}

function changesOf(type: string, { request, outcome }: Execution): ResultChange[] | undefined {
  try {
    const text = typeof request.stdin === 'string' ? request.stdin : new TextDecoder().decode(request.stdin)
    const conf: unknown = JSON.parse(text)
    const { prevResult, cniVersion } = isObject(conf) ? conf : {}
    const version = typeof cniVersion === 'string' && cniVersion !== '' ? cniVersion : '0.1.0'
    return diffResults(prevResult, readResult(type, outcome.stdout, version).document)
  } catch {
    // Not a result: that is the operation's error to tell, with its reason.
    return undefined
  }
}

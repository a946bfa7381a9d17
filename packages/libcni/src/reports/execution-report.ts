import { basename } from 'node:path'
import { type PluginError, pluginFailure, readResult } from '@cni/invoke'
import { errorLine, isObject } from '@cni/types'
import type { Execution } from './observe-exec.ts'
import { diffResults, type ResultChange } from './result-diff.ts'

/** Outcome and duration of one plugin call. */
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
  /** Differences between the `prevResult` and the result of a successful ADD. */
  readonly changes?: ReadonlyArray<{
    readonly op: 'add' | 'remove' | 'change' | 'reorder'
    /**
     * Path of the changed member, such as `ips[1].gateway`. The index is the item's position in the new result. For a
     * removed item, the index is the position in the old result.
     */
    readonly path: string
    readonly before?: unknown
    readonly after?: unknown
  }>
}

/**
 * Converts a plugin call to an {@link ExecutionReport}. Pure.
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

/** Report of a plugin call without `changes`, because the comparison of results is slow. Pure. */
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
    // Reports no changes for invalid output, because the operation itself fails with an error.
    return undefined
  }
}

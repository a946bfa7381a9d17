import { debugFor } from '@cni/host/debug'
import { realExec } from '@cni/invoke'
import { errorLine, toErrorDocument, type Verb } from '@cni/types'
import type { Attachment } from './attachment.ts'
import { runQueued } from './operation-queue.ts'
import { type ExecutionReport, executionFacts } from './reports/execution-report.ts'
import { observeExec } from './reports/observe-exec.ts'
import type { OperationReport } from './reports/operation-report.ts'
import { type CniOptions, type Operation, type OperationOptions, operation } from './runtime.ts'

/** Verb of an operation, with the network and the attachment that it works on. */
export interface Task {
  readonly verb: Verb
  readonly network: string
  /** Attachment that the operation adds, checks or deletes. Missing for GC and STATUS. */
  readonly rt?: Pick<Attachment, 'containerID' | 'ifName'>
}

/** Runs one operation, such as an ADD, after earlier operations that conflict with it. */
export async function perform<T>(
  options: CniOptions,
  own: OperationOptions | undefined,
  task: Task,
  body: (op: Operation) => Promise<T>,
): Promise<T> {
  const { observe } = options
  // Starts the timeout now, because the timeout includes the wait for earlier operations.
  if (observe === undefined) return run(operation(options, own), task, body)
  const begun = performance.now()
  const plugins: ExecutionReport[] = []
  const exec = observeExec(options.exec ?? realExec(), (execution) => plugins.push(executionFacts(execution)))
  let waitedMs: number | undefined
  const report = (more: Pick<OperationReport, 'error'>): OperationReport => {
    const durationMs = performance.now() - begun
    const { verb, network, rt } = task
    const who = rt === undefined ? {} : { containerID: rt.containerID, ifName: rt.ifName }
    return { verb, network, ...who, durationMs, waitedMs: waitedMs ?? durationMs, plugins, ...more }
  }
  try {
    const result = await run(operation({ ...options, exec }, own), task, (op) => {
      waitedMs = performance.now() - begun
      return body(op)
    })
    notify(observe, report({}))
    return result
  } catch (error) {
    notify(observe, report({ error: { code: toErrorDocument(error).code, msg: errorLine(error) } }))
    throw error
  }
}

function run<T>(op: Operation, { verb, network, rt }: Task, body: (op: Operation) => Promise<T>): Promise<T> {
  if (verb === 'STATUS') return body(op)
  return runQueued(op.cacheDir, { verb, network, containerID: rt?.containerID }, op.invoke.signal, () => body(op))
}

function notify(observe: (report: OperationReport) => void, report: OperationReport): void {
  try {
    observe(report)
  } catch (error) {
    // Ignores an error of the caller's function `observe`, because the error must not change the outcome of the
    // operation.
    debugFor('libcni')?.('an observer failed', { error: errorLine(error) })
  }
}

import type { AddAheadContext } from '@cni/skel'
import { CniError, isObject, parseJson } from '@cni/types'
import { inFolder } from '../in-folder.ts'
import { logFile } from '../log/log-file.ts'
import { logSinks } from '../log/sinks.ts'
import type { DoneAnswer, ErrorAnswer, ServedError, ServedLine } from '../serve/protocol.ts'
import { withFailureCode } from './failure-code.ts'

/** What a call that fails was to do, and where it would have logged it. */
export interface FailedCall {
  readonly runDir: string
  readonly answer: DoneAnswer | ErrorAnswer
}

/** The error of a call that failed in being done as answered; its log is that of the plugin's own way. */
export function failed(error: unknown, c: AddAheadContext, { runDir, answer }: FailedCall): unknown {
  for (const line of answer.log) note(c, line)
  const { logLevel: level } = answer
  const sinks = level === undefined ? [] : logSinks({ runDir, logSocket: inFolder(runDir, 'log.sock') })
  c.openLog({ level: level ?? 'info', sinks })
  return withFailureCode(error)
}

/** The error that an answer is about. */
export function servedError({ code, msg, details, cause }: ServedError): CniError {
  return new CniError(code, msg, { details, ...(cause === undefined ? {} : { cause: new Error(cause) }) })
}

/** For an agent that has gone before it could. */
export function toFile(lines: readonly string[], runDir: string): void {
  const file = logFile(runDir)
  try {
    for (const line of lines) file.write(line)
  } catch {
    // stderr gets them all the same, and there is nobody else to tell.
  } finally {
    void file.flush?.()
  }
}

// internal

const OF_EVERY_LINE = ['time', 'plugin', 'command', 'containerID']

/** A line that is known as text, anew; what only a call that was done can say is left out. */
function note(c: AddAheadContext, { text, timed }: ServedLine): void {
  if (timed !== undefined) return
  const line = parseJson(text, 'a line of the node agent')
  if (!isObject(line)) return
  const { level, msg, ...fields } = line
  for (const name of OF_EVERY_LINE) delete fields[name]
  if (level === 'debug' || level === 'info' || level === 'warn' || level === 'error') c.note(level, String(msg), fields)
}

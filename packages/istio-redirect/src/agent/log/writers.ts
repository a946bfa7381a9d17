import { appendFileSync } from 'node:fs'
import type { LogWriter } from './agent-log.ts'
import { formatLine, type LogForm } from './format.ts'
import type { LogSettings } from './levels.ts'

/**
 * Maximal size in bytes of all log lines that wait to be written. Further lines are dropped, so that the agent never
 * waits.
 */
const MAX_PENDING = 1024 * 1024

/** Opens a log target: `stdout`, `stderr` or a file. Only terminals get colours. */
export function openWriter(target: string): LogWriter {
  if (target !== 'stdout' && target !== 'stderr') return fileWriter(target)
  const stream = process[target]
  const isTerminal = stream.isTTY === true
  let lost = 0
  return {
    write(entry, json) {
      if (stream.writableLength > MAX_PENDING) {
        lost += 1
        return
      }
      const form = formFor(json, isTerminal, Boolean(process.env.NO_COLOR))
      if (lost > 0) {
        const { time } = entry
        const msg = `${lost} log lines were lost: no process reads ${target}, or too slowly`
        stream.write(formatLine({ level: 'warn', time, scope: 'cni-agent', msg }, form))
      }
      lost = 0
      stream.write(formatLine(entry, form))
    },
  }
}

function fileWriter(path: string): LogWriter {
  return {
    write(entry, json) {
      try {
        appendFileSync(path, formatLine(entry, formFor(json, false, true)), { mode: 0o600 })
      } catch {
        // Ignores an error of the log file, because the agent has no other place to report it.
      }
    },
  }
}

/** Chooses the format for a log target. By default a terminal gets text, and any other target gets JSON. */
export function formFor(json: LogSettings['json'], isTerminal: boolean, noColour: boolean): LogForm {
  if (json === true || (json === 'unless-terminal' && !isTerminal)) return 'json'
  return isTerminal && !noColour ? 'terminal' : 'text'
}

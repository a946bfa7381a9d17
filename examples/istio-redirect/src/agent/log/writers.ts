import { appendFileSync } from 'node:fs'
import type { LogWriter } from './agent-log.ts'

/** What may wait for a reader that is slow; beyond it lines are lost, for installing must not wait. */
const MAX_PENDING = 1024 * 1024

/** Opens `stdout`, `stderr` or a file. Colours are for terminals. */
export function openWriter(target: string): LogWriter {
  if (target !== 'stdout' && target !== 'stderr') return fileWriter(target)
  const stream = process[target]
  const plain = stream.isTTY !== true || Boolean(process.env.NO_COLOR)
  let lost = 0
  return {
    form: (json) => (json ? 'json' : plain ? 'text' : 'terminal'),
    write(line) {
      if (stream.writableLength > MAX_PENDING) {
        lost += 1
        return
      }
      if (lost > 0) stream.write(`${lost} log lines were lost: nobody reads ${target}\n`)
      lost = 0
      stream.write(line)
    },
  }
}

function fileWriter(path: string): LogWriter {
  return {
    form: (json) => (json ? 'json' : 'text'),
    write(line) {
      try {
        appendFileSync(path, line, { mode: 0o600 })
      } catch {
        // a log that cannot be written has nobody to complain to, and the agent goes on
      }
    },
  }
}

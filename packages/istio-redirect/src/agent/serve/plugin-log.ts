import { messageOf } from '@cni/types'
import { logFile } from '../../log/log-file.ts'
import { calmLog } from '../log/calm-log.ts'
import type { ScopedLog } from '../services.ts'

/** How long the file stays open for the next call, in milliseconds: pods come together. */
const OPEN_MS = 1000

/**
 * Writes the lines of calls that were served to the file in which the plugin logs what it decides by itself. One that
 * cannot be written is told of once.
 */
export function pluginLog(runDir: string, own: ScopedLog): (lines: readonly string[]) => void {
  const file = logFile(runDir)
  const calm = calmLog(own, 'the lines of served calls come to their file again')
  let closing: NodeJS.Timeout | undefined
  const close = (): void => {
    clearTimeout(closing)
    closing = undefined
    void file.flush?.()
  }
  return (lines) => {
    if (lines.length === 0) return
    try {
      file.write(lines.join(''))
      closing ??= setTimeout(close, OPEN_MS).unref()
      calm.worked()
    } catch (error) {
      close()
      calm.failed(`the lines of served calls do not come to their file: ${messageOf(error)}`)
    }
  }
}

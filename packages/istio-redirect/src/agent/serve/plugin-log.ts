import { messageOf } from '@cni/types'
import { logFile } from '../../log/log-file.ts'
import { calmLog } from '../log/calm-log.ts'
import type { ScopedLog } from '../services.ts'

/**
 * Writes the lines of calls that were served to the file in which the plugin logs what it decides by itself. One that
 * cannot be written is told of once.
 */
export function pluginLog(runDir: string, own: ScopedLog): (lines: readonly string[]) => void {
  const file = logFile(runDir)
  const calm = calmLog(own, 'the lines of served calls come to their file again')
  return (lines) => {
    if (lines.length === 0) return
    try {
      for (const line of lines) file.write(line)
      calm.worked()
    } catch (error) {
      calm.failed(`the lines of served calls do not come to their file: ${messageOf(error)}`)
    } finally {
      void file.flush?.()
    }
  }
}

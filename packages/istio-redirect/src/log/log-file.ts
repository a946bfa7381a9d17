import { fileSink, type LogSink } from '@cni/skel'
import { inFolder } from '../in-folder.ts'

/** Path of the plugin's log file in the run directory. */
export const logFile = (runDir: string): LogSink =>
  fileSink({ path: inFolder(runDir, 'istio-cni.log'), maxAge: TWO_DAYS })

const TWO_DAYS = 2 * 24 * 3_600_000

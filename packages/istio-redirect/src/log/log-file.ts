import { fileSink, type LogSink } from '@cni/skel'
import { inFolder } from '../in-folder.ts'

/** The log file of a run directory. */
export const logFile = (runDir: string): LogSink =>
  fileSink({ path: inFolder(runDir, 'istio-cni.log'), maxAge: TWO_DAYS })

const TWO_DAYS = 2 * 24 * 3_600_000

import { existsSync } from 'node:fs'
import type { AddAheadContext } from '@cni/skel'
import { inFolder } from '../in-folder.ts'
import { SERVE_SOCKET } from '../serve/socket.ts'

/** The run directory of a configuration that nobody has checked yet; `undefined` for one that names none. */
export function runDirOf({ cni_agent_run_dir: runDir }: AddAheadContext['document']): string | undefined {
  // A relative one would be in the runtime's working directory, which may be anybody's.
  return typeof runDir === 'string' && runDir.startsWith('/') ? runDir : undefined
}

/** Whether an agent may be there to ask: that it has made its socket. */
export function mayBeServed({ document }: Pick<AddAheadContext, 'document'>): boolean {
  const runDir = runDirOf(document)
  return runDir !== undefined && document.agent !== 'never' && existsSync(inFolder(runDir, SERVE_SOCKET))
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { DiscoveryError } from './discovery-error.ts'
import { isSilentKubelet, KUBELET_NAMES } from './kubelet-names.ts'
import { processIds } from './proc-files.ts'

/**
 * Finds the user ID of the node's kubelet, also inside MicroK8s or k3s.
 *
 * @throws {@link DiscoveryError} if no kubelet process runs, for example before the kubelet starts.
 */
export async function kubeletUser(hostProc: string): Promise<number> {
  let seen = 0
  for (const pid of processIds(hostProc)) {
    seen += 1
    if (seen % 256 === 0) await yieldToEventLoop()
    const user = kubeletUserOf(join(hostProc, pid))
    if (user !== undefined) return user
  }
  throw new DiscoveryError(`no kubelet is running: none of the ${seen} processes in ${hostProc} is a kubelet`)
}

// internal

function kubeletUserOf(process: string): number | undefined {
  try {
    const name = readFileSync(join(process, 'comm'), 'utf8').trim()
    if (!KUBELET_NAMES.has(name)) return undefined
    // Checks the arguments of the process, too, because any program may have the name of a kubelet process.
    if (!isSilentKubelet(name) && !/kubelet/i.test(readFileSync(join(process, 'cmdline'), 'utf8'))) return undefined
    const real = /^Uid:\t(\d+)/m.exec(readFileSync(join(process, 'status'), 'utf8'))?.[1]
    return real === undefined ? undefined : Number(real)
  } catch {
    return undefined // The process has ended, or the agent has no permission to read its files.
  }
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { DiscoveryError } from './discovery-error.ts'
import { isSilentKubelet, KUBELET_NAMES } from './kubelet-names.ts'
import { processIds } from './proc-files.ts'

/**
 * The user that the node's kubelet runs as, in whichever program it is: its own, MicroK8s', or one of k3s.
 *
 * @throws {@link DiscoveryError} when there is no such process, as before it has started.
 */
export async function kubeletUser(hostProc: string): Promise<number> {
  let seen = 0
  for (const pid of processIds(hostProc)) {
    seen += 1
    if (seen % 256 === 0) await breathe()
    const user = kubeletUserOf(join(hostProc, pid))
    if (user !== undefined) return user
  }
  throw new DiscoveryError(`no kubelet is running: none of the ${seen} processes in ${hostProc} is one`)
}

// internal

function kubeletUserOf(process: string): number | undefined {
  try {
    const name = readFileSync(join(process, 'comm'), 'utf8').trim()
    if (!KUBELET_NAMES.has(name)) return undefined
    // Anybody may call a program so; the arguments are a second witness.
    if (!isSilentKubelet(name) && !/kubelet/i.test(readFileSync(join(process, 'cmdline'), 'utf8'))) return undefined
    const real = /^Uid:\t(\d+)/m.exec(readFileSync(join(process, 'status'), 'utf8'))?.[1]
    return real === undefined ? undefined : Number(real)
  } catch {
    return undefined // it has ended, or may not be looked at
  }
}

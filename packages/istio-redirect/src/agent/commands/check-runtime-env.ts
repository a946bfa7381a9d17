import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRuntimeVariable } from '@cni/host'
import { KUBELET_NAMES } from '../proc/kubelet-names.ts'
import type { Check } from './checks.ts'

const RUNTIMES = new Set(['containerd', 'crio', 'dockerd', 'cri-dockerd', ...KUBELET_NAMES])
/** The plugin is built like the agent. */
const OWN_RUNTIME = process.versions.bun === undefined ? 'node' : 'bun'

/**
 * Warns of variables that act on the plugin before a line of its code runs, in the environment of the node's container
 * runtime: it starts anew without them where they let it, at twice the time.
 */
export function checkRuntimeEnv(
  procDirs: readonly string[] = ['/host/proc', '/proc'],
  runtime: 'bun' | 'node' = OWN_RUNTIME,
): Check[] {
  const proc = procDirs.find((folder) => existsSync(join(folder, '1')))
  if (proc === undefined) return []
  return readdirSync(proc)
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => checkProcess(join(proc, pid), runtime))
}

function checkProcess(folder: string, runtime: 'bun' | 'node'): Check[] {
  try {
    const name = readFileSync(join(folder, 'comm'), 'utf8').trim()
    if (!RUNTIMES.has(name)) return []
    const names = readFileSync(join(folder, 'environ'), 'latin1')
      .split('\0')
      .map((pair) => pair.slice(0, pair.indexOf('=')))
      .filter((one) => isRuntimeVariable(one, runtime))
    if (names.length === 0) return []
    const list = [...new Set(names)].join(', ')
    const detail = `in the environment of ${name}, and obeyed by istio-cni before its first line: ${list}; remove them there`
    return [{ name: 'runtime', state: 'warn', subject: folder, detail }]
  } catch {
    // the process ended, or is not ours to look at
    return []
  }
}

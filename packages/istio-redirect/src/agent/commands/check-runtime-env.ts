import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Check } from './checks.ts'

const RUNTIMES = new Set(['containerd', 'crio', 'dockerd', 'cri-dockerd', 'kubelet', 'k3s', 'k3s-server', 'k3s-agent'])
const VARIABLES = ['BUN_OPTIONS', 'BUN_BE_BUN']

/**
 * Warns of variables that would change the plugin before a line of its code runs, in the environment of the node's
 * container runtime: there is no way to ignore them.
 */
export function checkRuntimeEnv(procDirs: readonly string[] = ['/host/proc', '/proc']): Check[] {
  const proc = procDirs.find((folder) => existsSync(join(folder, '1')))
  if (proc === undefined) return []
  return readdirSync(proc)
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => checkProcess(join(proc, pid)))
}

function checkProcess(folder: string): Check[] {
  try {
    const name = readFileSync(join(folder, 'comm'), 'utf8').trim()
    if (!RUNTIMES.has(name)) return []
    const names = readFileSync(join(folder, 'environ'), 'latin1')
      .split('\0')
      .map((pair) => pair.slice(0, pair.indexOf('=')))
      .filter((one) => VARIABLES.includes(one))
    if (names.length === 0) return []
    const detail = `${names.join(' and ')} in the environment of ${name} changes how istio-cni starts: remove it there`
    return [{ name: 'runtime', state: 'warn', subject: folder, detail }]
  } catch {
    // the process ended, or is not ours to look at
    return []
  }
}

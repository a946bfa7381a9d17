import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { loadavg } from 'node:os'
import { netns } from '@cni/netns'
import type { SoakNode } from './node.ts'
import { probedIn } from './pods.ts'

/** Resource usage of agent and kernel at one time, by quantity, such as memory or open descriptors. */
export type Sample = Readonly<Record<Quantity, number>>

/** Sampled quantities with their allowed growth. `undefined` means a quantity without a verdict. */
export const QUANTITIES = {
  'anonymous MB': { share: 0.02, least: 1 },
  // Peak memory has no verdict: it is a maximum since the agent's start and never falls.
  'peak MB': undefined,
  threads: { share: 0.02, least: 1 },
  // Allows some growth: the agent may keep connections after a restart of the API server or ztunnel.
  descriptors: { share: 0.02, least: 4 },
  sockets: { share: 0.02, least: 4 },
  'namespaces held open': { share: 0.02, least: 1 },
  mounts: { share: 0.02, least: 1 },
  'files in the run directory': { share: 0.02, least: 1 },
  'other files': { share: 0.02, least: 1 },
  'entries of sets': { share: 0.02, least: 1 },
  'rules of the node': { share: 0.02, least: 1 },
  'CPU %': undefined,
  'load of the machine': undefined,
} as const

export type Quantity = keyof typeof QUANTITIES

/** Reads the resource usage of the running agent and of the kernel. */
export function newSampler(node: SoakNode): () => Promise<Sample> {
  const proc = (file: string): string => readFileSync(`/proc/${node.pid()}/${file}`, 'utf8')
  let before = { at: performance.now(), cpu: node.cpuMs() }
  return async () => {
    const status = proc('status')
    const megabytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024
    const open = descriptorsOf(node.pid())
    const [sets, { stdout: rules }] = await Promise.all([
      probedIn(node.netns),
      netns.exec(node.netns, ['nft', 'list', 'ruleset']),
    ])
    const now = { at: performance.now(), cpu: node.cpuMs() }
    const cpu = ((now.cpu - before.cpu) / (now.at - before.at)) * 100
    before = now
    return {
      'anonymous MB': megabytes('RssAnon'),
      'peak MB': megabytes('VmHWM'),
      threads: Number(/^Threads:\s+(\d+)/m.exec(status)?.[1]),
      descriptors: open.length,
      sockets: open.filter((target) => target.startsWith('socket:')).length,
      'namespaces held open': open.filter((target) => /^net:|netns/.test(target)).length,
      mounts: proc('mountinfo').split('\n').length - 1,
      'files in the run directory': filesBelow(node.path('var/run/istio-cni')),
      'other files': ['host/etc', 'host/opt', 'tmp', 'run', 'var/run/ztunnel'].reduce(
        (sum, folder) => sum + filesBelow(node.path(folder)),
        0,
      ),
      'entries of sets': sets.length,
      'rules of the node': rules.split('\n').length,
      'CPU %': cpu,
      'load of the machine': loadavg()[0] ?? 0,
    }
  }
}

// internal

function descriptorsOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(`${folder}/${name}`)]
    } catch {
      // skips a descriptor that the agent has closed in the meantime
      return []
    }
  })
}

const filesBelow = (folder: string): number =>
  existsSync(folder) ? readdirSync(folder, { recursive: true }).length : 0

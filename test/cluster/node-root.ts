import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { until } from './cluster.ts'

/** Root folder of the cluster's node with all its mounts. */
export type NodeRoot = Awaited<ReturnType<typeof nodeRoot>>

/** Starts a process on the cluster's node, whose `/proc/PID/root` is the node's root folder. */
export async function nodeRoot() {
  const child = spawn(process.env.CNI_KUBERNETES ?? '', ['exec', 'sleep', 'infinity'], { stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()).once('error', () => resolve()))
  const pid = await until('a process on the node', async () =>
    descendants(child.pid ?? 0).find((each) => nameOf(each) === 'sleep' && isElsewhere(each)),
  )
  return {
    path: `/proc/${pid}/root`,
    async [Symbol.asyncDispose]() {
      process.kill(pid, 'SIGKILL')
      await ended
    },
  }
}

function descendants(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )
  return [...children, ...children.flatMap(descendants)]
}

const nameOf = (pid: number): string => readFileSync(`/proc/${pid}/comm`, 'utf8').trim()

const isElsewhere = (pid: number): boolean => readlinkSync(`/proc/${pid}/ns/mnt`) !== readlinkSync('/proc/self/ns/mnt')

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Netns, netns } from '@cni/netns'

/** Lists the listening sockets in a pod, as `ss` prints them. */
export async function listeners(pod: Netns): Promise<string[]> {
  const { stdout } = await netns.exec(pod, ['ss', '-Hlntu'])
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(/\s+/))
    .map(([protocol, , , , address]) => `${protocol} ${address}`)
    .toSorted()
}

/** Expected listening sockets in a pod in which ztunnel listens. */
export const all = [
  'tcp *:15001',
  'tcp *:15006',
  'tcp *:15008',
  'tcp 127.0.0.1:15053',
  'tcp [::1]:15053',
  'udp 127.0.0.1:15053',
  'udp [::1]:15053',
]

/** Starts a process in the pod that occupies one of ztunnel's ports. */
export async function startBlocker(pod: Netns): Promise<AsyncDisposable & { leave(): Promise<void> }> {
  const script = "require('node:net').createServer().listen({ host: '::', port: 15006 }, () => console.log('ready'))"
  const child = netns.run(pod, () => spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] }))
  const closed = once(child, 'close')
  const leave = async (): Promise<void> => {
    child.kill('SIGKILL')
    await closed
  }
  await once(child.stdout, 'data')
  return { leave, [Symbol.asyncDispose]: leave }
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { type NetnsTarget, netns } from '@cni/netns'

/** Open TCP connection of a pod. The demo checks with it if new rules cut open connections. */
export interface HeldConnection extends AsyncDisposable {
  /** Sends a line over the connection. True if the server sends the same line back within five seconds. */
  echoes(line: string): Promise<boolean>
  /** True if the connection is cut. Waits, because the kernel translates packets briefly after the rules' removal. */
  ends(): Promise<boolean>
}

const CLIENT = `
const [host, port] = process.argv.slice(1)
const socket = require('node:net').connect({ host, port: Number(port) }, () => process.stdout.write('connected\\n'))
socket.on('error', () => process.exit(1)).on('close', () => process.exit(1))
process.stdin.pipe(socket).pipe(process.stdout)
`

/** Opens a connection to an echo server, from a process inside the network namespace of a pod. */
export async function holdConnection(from: NetnsTarget, host: string, port: number): Promise<HeldConnection> {
  const argv = ['-e', CLIENT, host, String(port)]
  const child = netns.run(from, () => spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'inherit'] }))
  // Ignores write errors after the client process has ended, because only the server's response counts.
  child.stdin.on('error', () => {})
  if (!(await says(child, 'connected\n'))) throw new Error(`no connection to ${host}:${port}`)
  const echoes = async (line: string): Promise<boolean> => {
    const answered = says(child, `${line}\n`)
    child.stdin.write(`${line}\n`)
    return await answered
  }
  return {
    echoes,
    async ends() {
      const until = performance.now() + 5000
      while (await echoes('hello')) {
        if (performance.now() > until) return false
        await delay(10)
      }
      return true
    },
    async [Symbol.asyncDispose]() {
      child.stdin.destroy()
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

/** Waits at most five seconds for the next output of the client process. True if it equals `text`. */
async function says({ stdout }: ChildProcess, text: string): Promise<boolean> {
  if (stdout === null || stdout.closed) return false
  const over = new AbortController()
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(5000)])
  try {
    const [chunk] = await Promise.race([once(stdout, 'data', { signal }), once(stdout, 'close', { signal })])
    return String(chunk) === text
  } catch {
    return false
  } finally {
    over.abort()
  }
}

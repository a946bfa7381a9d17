import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type NetnsTarget, netns } from '@cni/netns'

/** A connection that a process in a pod keeps open. */
export interface HeldConnection extends AsyncDisposable {
  /** Sends a line through it; whether the same line comes back in time. */
  echoes(line: string): Promise<boolean>
}

const CLIENT = `
const [host, port] = process.argv.slice(1)
const socket = require('node:net').connect({ host, port: Number(port) }, () => process.stdout.write('connected\\n'))
socket.on('error', () => process.exit(1)).on('close', () => process.exit(1))
process.stdin.pipe(socket).pipe(process.stdout)
`

/** Opens a connection to an echo server, from inside a namespace. */
export async function holdConnection(from: NetnsTarget, host: string, port: number): Promise<HeldConnection> {
  const argv = ['-e', CLIENT, host, String(port)]
  const child = netns.run(from, () => spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'inherit'] }))
  if (!(await says(child, 'connected\n'))) throw new Error(`no connection to ${host}:${port}`)
  return {
    async echoes(line) {
      const answered = says(child, `${line}\n`)
      child.stdin.write(`${line}\n`)
      return await answered
    },
    async [Symbol.asyncDispose]() {
      child.stdin.destroy()
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

async function says({ stdout }: ChildProcess, text: string): Promise<boolean> {
  if (stdout === null) return false
  try {
    const [chunk] = await once(stdout, 'data', { signal: AbortSignal.timeout(5000) })
    return String(chunk) === text
  } catch {
    return false
  }
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type Netns, netns } from '@cni/netns'

const SERVER = `
const server = require('node:net').createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => {})
  socket.on('data', (data) => socket.write(socket.remoteAddress + ' said ' + data))
})
server.listen(Number(process.argv[1]), '0.0.0.0', () => console.log('ready'))
process.stdin.resume().on('end', () => process.exit())
`
const CLIENT = `
const [host, port] = process.argv.slice(1)
const socket = require('node:net').connect({ host, port: Number(port), noDelay: true })
socket.pipe(process.stdout)
process.stdin.pipe(socket)
for (const end of ['error', 'close']) socket.on(end, () => process.exit())
setTimeout(() => process.exit(), 60_000).unref()
`

/** Says on each connection who said what, until it is disposed of. */
export async function startEcho(inside: Netns, port: number): Promise<AsyncDisposable> {
  const { child, gone, lines } = started(inside, SERVER, [port])
  await lines.next()
  return {
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await gone
    },
  }
}

/** A connection that stays open. */
export interface HeldConnection extends AsyncDisposable {
  /** What the other side answers, or `the end`; waited for as long as a test of a connection that hangs may take. */
  say(word: string): Promise<string>
}

/** Opens one. */
export function holdConnection(from: Netns, host: string, port: number): HeldConnection {
  const { child, gone, lines } = started(from, CLIENT, [host, port])
  return {
    async say(word) {
      child.stdin.write(`${word}\n`)
      const late = AbortSignal.timeout(PATIENCE_MS)
      const silence = once(late, 'abort').then(() => 'no answer' as const)
      const next = await Promise.race([lines.next(), silence])
      if (next === 'no answer') return next
      return next.done === true ? 'the end' : next.value.replace('::ffff:', '')
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await gone
    },
  }
}

// internal

const PATIENCE_MS = 3000

function started(inside: Netns, script: string, args: readonly (string | number)[]) {
  const argv = ['-e', script, ...args.map(String)]
  const child = netns.run(inside, () => spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'inherit'] }))
  // Of one that has ended.
  child.stdin.on('error', () => {})
  return { child, gone: once(child, 'exit'), lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
}

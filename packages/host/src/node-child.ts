import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { SpawnChild } from './child.ts'

/** Over `node:child_process`. */
export const nodeChild: SpawnChild = (file, args, { env, cwd, input, stderr, inherit }, events) => {
  const child = spawn(file, args, {
    env,
    ...(cwd === undefined ? {} : { cwd }),
    detached: true,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', stderr, ...inherit],
  })
  child.on('error', events.error)
  child.once('exit', events.exit)
  child.once('close', events.close)
  listen(child.stdout, events.stdout)
  listen(child.stderr, events.stderr)
  if (input !== undefined) {
    // EPIPE: a program need not read its stdin, its exit code tells how it went.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  }
  return {
    pid: child.pid,
    release() {
      child.stdin?.destroy()
      child.stdout?.destroy()
      child.stderr?.destroy()
    },
  }
}

function listen(stream: Readable | null, onChunk: (chunk: Uint8Array) => void): void {
  stream?.on('error', () => {
    // a pipe destroyed after the exit: what was read is kept
  })
  stream?.on('data', onChunk)
}

import { spawn } from 'node:child_process'
import type { Runtime } from './runtimes.ts'

/** Exit code and output of a test plugin's process. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Starts a test plugin with sockets as stdin, stdout and stderr. Without input its stdin stays open. */
export function start({ argv: [file, ...args] }: Runtime, env: NodeJS.ProcessEnv, input: string | undefined) {
  const child = spawn(file, args, { env, timeout: 30_000 })
  child.stdin.on('error', () => {})
  if (input !== undefined) child.stdin.end(input)
  const texts = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (chunk: string) => {
      texts[stream] += chunk
    })
  }
  const done = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, ...texts }))
  })
  return { child, done }
}

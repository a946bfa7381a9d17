import { spawn } from 'node:child_process'
import { env, root } from './exec.ts'
import { Stop } from './progress.ts'

/** Ends with us, however we end. */
const WITH_US = ['setpriv', '--pdeathsig', 'KILL', '--']
/** Mounts and processes of its own, which end with it; more options may follow, and then `--`. */
export const UNSHARE = [
  ...['unshare', '--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child'],
] as const
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Run a program that does not outlive us. A signal that ends us kills it first, so that what follows can clean up.
 *
 * @param options - `output`: gets what the program prints; without it, that is shown as it comes. `signal`: kills it
 * @returns its exit code
 * @throws {Stop} when it was killed, or cannot be started; the signal's reason when it was that
 */
export async function runWithUs(
  argv: readonly [string, ...string[]],
  options: { env?: NodeJS.ProcessEnv; output?: (chunk: Buffer) => void; signal?: AbortSignal } = {},
): Promise<number> {
  const [program = '', ...args] = [...WITH_US, ...argv]
  const out = options.output ? 'pipe' : 'inherit'
  const child = spawn(program, args, { cwd: root, env: options.env ?? env, stdio: ['ignore', out, out] })
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => options.output?.(chunk))

  let received: NodeJS.Signals | undefined
  const stop = (signal: NodeJS.Signals) => {
    received = signal
    child.kill('SIGKILL')
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  const kill = () => child.kill('SIGKILL')
  options.signal?.addEventListener('abort', kill)
  try {
    return await new Promise((resolve, reject) => {
      child.on('error', (error) => reject(new Stop(`cannot start ${program}: ${error.message}`)))
      child.on('close', (code, signal) => {
        if (received !== undefined) return reject(new Stop(`stopped by ${received}`))
        if (options.signal?.aborted) return reject(options.signal.reason)
        if (code === null) return reject(new Stop(`${argv[0]} was killed by ${signal}`))
        resolve(code)
      })
    })
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop)
    options.signal?.removeEventListener('abort', kill)
  }
}

import { spawn } from 'node:child_process'
import { env, root } from './exec.ts'
import { Stop } from './progress.ts'

/** Command prefix for a child program: the kernel kills the program when this process ends. */
const KILL_WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL', '--']
/** Command prefix for a program in new namespaces. The namespaces end with the program. The caller adds `--`. */
export const UNSHARE = [
  ...['unshare', '--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child'],
] as const
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs a program, which the kernel kills when this process ends.
 *
 * @param options - `output` receives the program's output; default: printed. An abort of `signal` kills the program
 * @returns the program's exit code
 * @throws {Stop} if the program was killed or cannot start. After an abort, throws the AbortSignal's reason
 */
export async function runBound(
  argv: readonly [string, ...string[]],
  options: { env?: NodeJS.ProcessEnv; output?: (chunk: Buffer) => void; signal?: AbortSignal } = {},
): Promise<number> {
  const [program = '', ...args] = [...KILL_WITH_PARENT, ...argv]
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

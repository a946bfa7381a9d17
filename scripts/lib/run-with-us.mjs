import { spawn } from 'node:child_process'
import { env, root } from './exec.mjs'
import { Stop } from './progress.mjs'

/** Ends with us, however we end. */
const WITH_US = ['setpriv', '--pdeathsig', 'KILL', '--']
/** Mounts and processes of its own, which end with it; more options may follow, and then `--`. */
export const UNSHARE = /** @type {const} */ ([
  ...['unshare', '--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child'],
])
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])

/**
 * Run a program that does not outlive us. A signal that ends us kills it first, so that what follows can clean up.
 *
 * @param {readonly [string, ...string[]]} argv
 * @param {{ env?: NodeJS.ProcessEnv, output?: (chunk: Buffer) => void }} [options]
 *   `output`: gets what the program prints; without it, that is shown as it comes
 * @returns {Promise<number>} its exit code
 * @throws {Stop} when it was killed, or cannot be started
 */
export async function runWithUs(argv, options = {}) {
  const [program = '', ...args] = [...WITH_US, ...argv]
  const out = options.output ? 'pipe' : 'inherit'
  const child = spawn(program, args, { cwd: root, env: options.env ?? env, stdio: ['ignore', out, out] })
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => options.output?.(chunk))
  /** @type {NodeJS.Signals | undefined} */
  let received
  const stop = (/** @type {NodeJS.Signals} */ signal) => {
    received = signal
    child.kill('SIGKILL')
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  try {
    return await new Promise((resolve, reject) => {
      child.on('error', (error) => reject(new Stop(`cannot start ${program}: ${error.message}`)))
      child.on('close', (code, signal) => {
        if (received !== undefined) return reject(new Stop(`stopped by ${received}`))
        if (code === null) return reject(new Stop(`${argv[0]} was killed by ${signal}`))
        resolve(code)
      })
    })
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop)
  }
}

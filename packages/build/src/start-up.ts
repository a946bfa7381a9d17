import { basename } from 'node:path'
import { type Argv, type RunResult, run } from '@cni/host'
import { BuildError } from './errors.ts'

/** How an executable shows that it runs: a plugin answers `CNI_COMMAND=VERSION`, a command `--help`. */
export type Smoke = 'plugin' | 'command'

/** How often it is started: enough for a median, and a tenth of a second for most. */
const STARTS = 5

const TIMEOUT = 10_000

/**
 * Start it a few times the way a container runtime does: empty environment, working directory `/`, nothing on stdin.
 *
 * @returns the median time of a whole process in milliseconds
 * @throws BuildError `SMOKE` with what it said instead of an answer.
 */
export async function startUp(executable: string, kind: Smoke, signal?: AbortSignal): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < STARTS; i++) times.push((await answer(executable, kind, signal)).durationMs)
  return times.sort((a, b) => a - b)[Math.floor(STARTS / 2)] ?? 0
}

/**
 * One such start.
 *
 * @throws BuildError `SMOKE`
 */
export async function answer(executable: string, kind: Smoke, signal?: AbortSignal): Promise<RunResult> {
  const result = await ask([executable], { kind, signal })
  const wrong = fault(result, kind)
  if (wrong === undefined) return result
  const asked = kind === 'plugin' ? 'CNI_COMMAND=VERSION' : '--help'
  const said = (result.stderr || result.stdout).trim().slice(0, 2000)
  const file = basename(executable)
  throw new BuildError(
    'SMOKE',
    `${file} does not answer ${asked}: ${[wrong, said].filter(Boolean).join('\n')}${hint(result)}`,
  )
}

/** The same by `argv` and with more in its environment, whatever comes of it. */
export const ask = (
  argv: Argv,
  { kind, env = {}, signal }: { kind: Smoke; env?: Readonly<Record<string, string>>; signal: AbortSignal | undefined },
): Promise<RunResult> =>
  run(kind === 'plugin' ? argv : [...argv, '--help'], {
    env: kind === 'plugin' ? { CNI_COMMAND: 'VERSION', ...env } : env,
    cwd: '/',
    timeout: TIMEOUT,
    signal,
    reject: false,
  })

function fault(result: RunResult, kind: Smoke): string | undefined {
  const silent = result.stdout.trim() === '' && result.stderr.trim() === '' ? ' and printed nothing' : ''
  if (result.timedOut) return `it had not ended after ${TIMEOUT / 1000} s`
  if (result.signal !== null) return `it was ended by ${result.signal}${silent}`
  // Never started: on a file system that is mounted noexec, for example.
  if (result.exitCode === null) return result instanceof Error ? result.message.split('\n')[0] : 'it did not start'
  if (result.exitCode !== 0) return `it ended with exit code ${result.exitCode}${silent}`
  if (result.stdout.trim() === '') return `it ended with exit code 0 and printed nothing to stdout`
  if (kind === 'plugin' && !isVersions(result.stdout)) return 'that is no JSON with "supportedVersions"; it printed'
  return undefined
}

function isVersions(stdout: string): boolean {
  try {
    const document: unknown = JSON.parse(stdout)
    return (
      typeof document === 'object' &&
      document !== null &&
      'supportedVersions' in document &&
      Array.isArray(document.supportedVersions)
    )
  } catch {
    // No JSON at all.
    return false
  }
}

function hint({ stderr }: RunResult): string {
  const library = /error while loading shared libraries: (\S+):/.exec(stderr)?.[1]
  if (library === undefined) return ''
  return `\nThe Node in it needs ${library}, here and on every host it is copied to (Debian: libatomic1, libstdc++6). The runtime bun needs none of them.`
}

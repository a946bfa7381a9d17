import { basename } from 'node:path'
import { type RunResult, run } from '@cni/host'
import { BuildError } from './errors.ts'

/** Kind of executable, which decides the command line of the test. */
type Smoke = 'plugin' | 'command'

/** Number of starts from which the median start time is computed. */
const STARTS = 5

const TIMEOUT = 10_000

/**
 * Starts an executable several times as a container runtime does.
 *
 * @returns the median time of a whole process in milliseconds
 * @throws BuildError `SMOKE` with the executable's output, if the output is not a valid answer
 */
export async function startUp(executable: string, kind: Smoke, signal?: AbortSignal): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < STARTS; i++) times.push(await timeOf(executable, kind, signal))
  return times.sort((a, b) => a - b)[Math.floor(STARTS / 2)] ?? 0
}

// internal

/** Starts the executable once and measures the time until the process has ended. */
async function timeOf(executable: string, kind: Smoke, signal: AbortSignal | undefined): Promise<number> {
  const result = await run(kind === 'plugin' ? [executable] : [executable, '--help'], {
    env: kind === 'plugin' ? { CNI_COMMAND: 'VERSION' } : {},
    cwd: '/',
    timeout: TIMEOUT,
    signal,
    reject: false,
  })
  const wrong = fault(result, kind)
  if (wrong === undefined) return result.durationMs
  const asked = kind === 'plugin' ? 'CNI_COMMAND=VERSION' : '--help'
  const said = (result.stderr || result.stdout).trim().slice(0, 2000)
  throw new BuildError(
    'SMOKE',
    `${basename(executable)} does not answer ${asked}: ${[wrong, said].filter(Boolean).join('\n')}`,
  )
}

function fault(result: RunResult, kind: Smoke): string | undefined {
  const silent = result.stdout.trim() === '' && result.stderr.trim() === '' ? ' and printed nothing' : ''
  if (result.timedOut) return `it had not ended after ${TIMEOUT / 1000} s`
  if (result.signal !== null) return `it was ended by ${result.signal}${silent}`
  // Reports that the kernel refused to start the executable. Example: the file system is mounted noexec.
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
    // Rejects the output of the started executable, because the output is not valid JSON.
    return false
  }
}

import { basename } from 'node:path'
import { type RunResult, run } from '@cni/host'
import { BuildError } from './errors.ts'

/** How an executable shows that it runs: a plugin answers `CNI_COMMAND=VERSION`, a command `--help`. */
export type Smoke = 'plugin' | 'command'

/** How often it is started: enough for a median, and a tenth of a second for most. */
const STARTS = 5

/**
 * Start it a few times the way a container runtime does: empty environment, working directory `/`, nothing on stdin.
 *
 * @returns the median time of a whole process in milliseconds
 * @throws BuildError `SMOKE` with what it said instead of an answer.
 */
export async function startUp(executable: string, kind: Smoke): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < STARTS; i++) times.push((await answer(executable, kind)).durationMs)
  return times.sort((a, b) => a - b)[Math.floor(STARTS / 2)] ?? 0
}

async function answer(executable: string, kind: Smoke): Promise<RunResult> {
  const result = await run(kind === 'plugin' ? [executable] : [executable, '--help'], {
    env: kind === 'plugin' ? { CNI_COMMAND: 'VERSION' } : {},
    cwd: '/',
    timeout: 10_000,
    reject: false,
  })
  if (!result.failed && result.stdout.trim() !== '') return result
  const asked = kind === 'plugin' ? 'CNI_COMMAND=VERSION' : '--help'
  const said = (result.stderr || result.stdout).trim().slice(0, 2000) || 'it printed nothing'
  throw new BuildError('SMOKE', `${basename(executable)} does not answer ${asked}: ${said}${hint(said)}`)
}

function hint(said: string): string {
  const library = /error while loading shared libraries: (\S+):/.exec(said)?.[1]
  if (library === undefined) return ''
  return `\nThe Node in it needs ${library}, here and on every host it is copied to (Debian: libatomic1, libstdc++6). The runtime bun needs none of them.`
}

import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type DebianPackage, ensurePackages, missingPackages } from '../debian.ts'
import { Stop } from '../progress.ts'
import { SKIPPED, USAGE } from './exit-codes.ts'

/** Tests that need a machine of their own. */
export interface MachineTests {
  /** `test:vm`, what they are run as. */
  readonly script: string
  /** What they are, in the sentence that says why they were not run. */
  readonly title: string
  /** Debian's packages that this machine needs for them. */
  readonly packages: readonly DebianPackage[]
  /** What is kept from run to run; `run-PID` in it belongs to a process. */
  readonly cache: string
  /** A folder in `cache`. */
  readonly logs: string
}

/** Where they keep what they have downloaded. */
export const cacheFor = (name: string): string => join(process.env.XDG_CACHE_HOME || '/var/cache', 'cni-ts', name)

/** `--minutes`, as it was given. */
export function minutesOf(text: string): string {
  if (/^[1-9]\d{0,3}$/.test(text)) return text
  throw new Stop(`--minutes: expected a number from 1 to 9999, got ${JSON.stringify(text)}`, USAGE)
}

/** Nothing was run: what to end with. */
export const skipped = ({ title }: MachineTests, why: string): Stop =>
  new Stop(`skipped: ${title}, because ${why}`, SKIPPED)

/** Everything that they need on this machine; without it they are skipped, and that says what to install. */
export async function prepare(tests: MachineTests, { install }: { install: boolean }): Promise<void> {
  const { script, packages, cache, logs } = tests
  const missing = missingPackages(packages)
  const command = `apt-get install --no-install-recommends ${missing.join(' ')}`
  const too = missing.length === 0 ? '' : `; as root: ${command}`
  if (process.getuid?.() !== 0) throw skipped(tests, `it needs root. Run: sudo npm run ${script}${too}`)
  if (missing.length > 0 && !(install && existsSync('/usr/bin/apt-get'))) {
    throw skipped(tests, `these Debian packages are missing: ${missing.join(', ')}. Install them: ${command}`)
  }
  await ensurePackages(packages, { install })
  mkdirSync(logs, { recursive: true, mode: 0o700 })
  // What a run left that was killed before it could, and all logs but the latest.
  for (const name of readdirSync(cache)) {
    const pid = /^run-(\d+)$/.exec(name)?.[1]
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(cache, name), { recursive: true, force: true })
  }
  for (const old of readdirSync(logs).sort().slice(0, -30)) rmSync(join(logs, old))
}

/** Where the logs of a run go, without their ending. */
export const newLog = ({ logs }: MachineTests): string =>
  join(logs, new Date().toISOString().replaceAll(/[-:]|\..*/g, ''))

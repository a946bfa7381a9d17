import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type DebianPackage, ensurePackages, missingPackages } from '../debian.ts'
import { Stop } from '../progress.ts'
import { SKIPPED, USAGE } from './exit-codes.ts'

/** Tests in a machine of their own. */
export interface MachineTests {
  /** Name of the script, such as `test:vm`. */
  readonly script: string
  /** Description in the message for skipped tests. */
  readonly title: string
  /** Debian packages that this machine needs. */
  readonly packages: readonly DebianPackage[]
  /** Folder that is kept between runs. `run-PID` belongs to a process. */
  readonly cache: string
  /** Folder for logs in `cache`. */
  readonly logs: string
}

/** Folder for downloads. */
export const cacheFor = (name: string): string => join(process.env.XDG_CACHE_HOME || '/var/cache', 'cni-ts', name)

/** Validates the value of `--minutes`. */
export function minutesOf(text: string): string {
  if (/^[1-9]\d{0,3}$/.test(text)) return text
  throw new Stop(`--minutes: expected a number from 1 to 9999, got ${JSON.stringify(text)}`, USAGE)
}

/** Error for skipped tests. */
export const skipped = ({ title }: MachineTests, why: string): Stop =>
  new Stop(`skipped: ${title}, because ${why}`, SKIPPED)

/** Checks the requirements on this machine. Skips the tests with a message about missing packages. */
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
  // Removes files of killed runs, and all logs except the latest.
  for (const name of readdirSync(cache)) {
    const pid = /^run-(\d+)$/.exec(name)?.[1]
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(cache, name), { recursive: true, force: true })
  }
  for (const old of readdirSync(logs).sort().slice(0, -30)) rmSync(join(logs, old))
}

/** Path of a new log without its extension. */
export const newLog = ({ logs }: MachineTests): string =>
  join(logs, new Date().toISOString().replaceAll(/[-:]|\..*/g, ''))

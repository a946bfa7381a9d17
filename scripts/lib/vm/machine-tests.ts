import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type DebianPackage, ensurePackages, missingPackages } from '../debian.ts'
import { Stop } from '../progress.ts'
import { SKIPPED, USAGE } from './exit-codes.ts'

/** A test command that runs tests in a virtual machine, such as `test:vm`. */
export interface MachineTests {
  /** Name of the npm script that runs the tests, such as `test:vm`. */
  readonly script: string
  /** Name of the tests in the message about skipped tests. */
  readonly title: string
  /** Debian packages that must be installed on the host machine to run the virtual machine. */
  readonly packages: readonly DebianPackage[]
  /** Cache folder that is kept between runs. A subfolder `run-PID` belongs to the run with that process id. */
  readonly cache: string
  /** Folder for the virtual machine's logs, inside the cache folder. */
  readonly logs: string
}

/** Path of the folder in which downloads for a test command are cached. */
export const cacheFor = (name: string): string => join(process.env.XDG_CACHE_HOME || '/var/cache', 'cni-ts', name)

/** Validates the value of the option `--minutes`, the time limit of a test command. */
export function minutesOf(text: string): string {
  if (/^[1-9]\d{0,3}$/.test(text)) return text
  throw new Stop(`--minutes: expected a number from 1 to 9999, got ${JSON.stringify(text)}`, USAGE)
}

/** Creates the error that ends a test command with the exit code for skipped tests. */
export const skipped = ({ title }: MachineTests, why: string): Stop =>
  new Stop(`skipped: ${title}, because ${why}`, SKIPPED)

/** Checks that the host machine can start the virtual machine. Skips the tests otherwise. */
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
  // Removes the folders of test runs that were killed, and all logs except the latest.
  for (const name of readdirSync(cache)) {
    const pid = /^run-(\d+)$/.exec(name)?.[1]
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(cache, name), { recursive: true, force: true })
  }
  for (const old of readdirSync(logs).sort().slice(0, -30)) rmSync(join(logs, old))
}

/** Path of a new log file for the virtual machine's output, without the extension. */
export const newLog = ({ logs }: MachineTests): string =>
  join(logs, new Date().toISOString().replaceAll(/[-:]|\..*/g, ''))

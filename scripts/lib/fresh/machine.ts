import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exec, machineNode } from '../exec.ts'
import { Stop } from '../progress.ts'
import { runBound, UNSHARE } from '../run-bound.ts'

/** The fresh machine keeps the host's network, because npm and apt need their servers. */
const START = [...UNSHARE, ...['--ipc', '--', 'sh', fileURLToPath(new URL('machine.sh', import.meta.url))]] as const
/**
 * Pattern for environment variables that npm in the fresh machine needs to reach its registry, such as `https_proxy`.
 */
const VARIABLES = /^(https?_proxy|no_proxy|npm_config_(registry|proxy|https_proxy|cafile)|node_extra_ca_certs)$/i

const LOGIN = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' }

/** A fresh machine: the folder with its files, and the environment variables of a user who has logged in. */
export type Machine = { dir: string; env: Record<string, string> }

/**
 * Creates a fresh machine with Node.js, npm and network settings of the host machine.
 *
 * @param archive - archive with the minimal Debian
 */
export async function makeMachine(dir: string, archive: string): Promise<Machine> {
  mkdirSync(dir)
  await done(['tar', '--extract', '--numeric-owner', `--file=${archive}`, `--directory=${dir}`])
  const npm = npmFolder()
  await copyNode(dir, npm)
  for (const file of ['/etc/resolv.conf', '/etc/hosts', '/etc/hostname']) copyFile(file, join(dir, file), 0o644)
  return { dir, env: { ...LOGIN, ...(await copySettings(dir, npm)) } }
}

/**
 * Runs a program in the fresh machine, which cannot see the host machine's folders.
 *
 * @param folder - working directory of the program
 * @returns the program's exit code
 */
export const runIn = (
  machine: Machine,
  folder: string,
  argv: readonly [string, ...string[]],
  output: (chunk: Buffer) => void,
): Promise<number> => runBound([...START, machine.dir, folder, ...argv], { env: machine.env, output })

/** Shell command with which a developer logs in to the fresh machine after a failure. */
export const loginCommand = (machine: Machine, folder: string) =>
  ['env -i', ...Object.entries(LOGIN).map((entry) => entry.join('=')), ...START, machine.dir, folder, 'bash'].join(' ')

/**
 * Folder that contains npm with its dependencies. Missing if a Linux distribution has split npm into several folders.
 */
function npmFolder() {
  const bin = dirname(realpathSync(machineNode))
  const beside = join(dirname(machineNode), 'npm')
  const found = [
    process.env.npm_execpath ?? '',
    existsSync(beside) ? realpathSync(beside) : '',
    join(bin, '../lib/node_modules/npm/bin/npm-cli.js'),
  ].find((file) => file.endsWith('/npm/bin/npm-cli.js') && existsSync(join(file, '../../node_modules')))
  if (found === undefined) throw new Stop(`no npm that can be copied belongs to ${machineNode}: use Node's own release`)
  return realpathSync(join(found, '../..'))
}

async function copyNode(dir: string, npm: string) {
  const local = join(dir, 'usr/local')
  mkdirSync(join(local, 'lib/node_modules'))
  await done(['cp', realpathSync(machineNode), join(local, 'bin/node')])
  await done(['cp', '--recursive', npm, join(local, 'lib/node_modules/npm')])
  for (const name of ['npm', 'npx']) symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name))
}

async function done(argv: readonly [string, ...string[]]) {
  const code = await runBound(argv)
  if (code !== 0) throw new Stop(`${argv.join(' ')} failed with exit code ${code}`)
}

/** Copies settings of the host machine. Only the owner can read the copies, because they may contain secrets. */
async function copySettings(dir: string, npm: string) {
  const env = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value && VARIABLES.test(name) ? [[name, value]] : [])),
  )
  const argv = [machineNode, join(npm, 'bin/npm-cli.js'), 'config', 'get'] as const
  const said = await exec([...argv, 'userconfig', 'globalconfig', 'cafile'], { quiet: true })
  const path = (name: string) => new RegExp(`^${name} ?= ?(/.*)$`, 'm').exec(said)?.[1]
  copyFile(path('userconfig'), join(dir, 'root/.npmrc'), 0o600)
  copyFile(path('globalconfig'), join(dir, 'usr/local/etc/npmrc'), 0o600)
  for (const authorities of new Set([path('cafile'), env.NODE_EXTRA_CA_CERTS])) {
    if (authorities !== undefined) copyFile(authorities, join(dir, authorities), 0o644)
  }
  return env
}

/** Copies a file of the host machine to the fresh machine, if the file exists. */
function copyFile(from: string | undefined, to: string, mode: number) {
  if (from === undefined || !existsSync(from)) return
  mkdirSync(dirname(to), { recursive: true })
  writeFileSync(to, readFileSync(from), { mode })
}

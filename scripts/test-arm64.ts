// npm run test:arm64 [-- OPTIONS]: executables for arm64 under emulation, on Debian's own kernel; see --help.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { debianPackages, unpackMachine } from './lib/arm64/debian-files.ts'
import { buildForArm64 } from './lib/arm64/executables-arm64.ts'
import { FAILED, LATE, SKIPPED, USAGE } from './lib/arm64/exit-codes.ts'
import { withoutKernel } from './lib/arm64/without-kernel.ts'
import { ensurePackages, missingPackages } from './lib/debian.ts'
import { node26 } from './lib/exec.ts'
import { main, Stop, say, step } from './lib/progress.ts'
import { runWithUs } from './lib/run-with-us.ts'

const PACKAGES = ['qemu-system-arm', 'qemu-user-static', 'kmod', 'debian-archive-keyring'] as const

const HELP = `npm run test:arm64 [-- OPTIONS]

Compiles istio-cni and hello-chain for arm64 (cni-build --target linux-arm64) and runs them under emulation: VERSION, STATUS
and --help of each on this machine's kernel; ADD, CHECK and DEL on Debian's own kernel for arm64 in a virtual machine, which
asks an API server on this machine's loopback. Rules are written with iptables and by netlink, in namespaces of that machine.
Needs root and these packages of Debian:
${PACKAGES.join(', ')}.
The machine's own packages (kernel, C library, iptables, nftables, busybox) are downloaded and not installed.

  --no-install     neither install missing packages nor download any: where one is missing, nothing is run
  --minutes N      when the machine is switched off whatever it does, 15 unless told
  --help

Progress is on stderr, what it came to on stdout. All that was said is in $XDG_CACHE_HOME/cni-ts/arm64/logs or
/var/cache/cni-ts/arm64/logs; the packages are beside it.

Exit code: 0 all is well; ${FAILED} something is not as it must be; ${LATE} it took too long; ${USAGE} wrong options; ${SKIPPED} nothing was
run, and what is missing here is named; 1 something else went wrong.
`

const cache = join(process.env.XDG_CACHE_HOME || '/var/cache', 'cni-ts/arm64')
const logs = join(cache, 'logs')
const boot = fileURLToPath(new URL('lib/arm64/boot.ts', import.meta.url))
const machine = fileURLToPath(new URL('lib/arm64/machine.sh', import.meta.url))

await main(async () => {
  const { help, install, minutes } = parse()
  if (help) return void process.stdout.write(HELP)
  await prepare(install)
  const packages = await debianPackages(cache, { install })
  if (packages.length === 0) throw skipped(`${cache} holds no packages for arm64, and --no-install was given`)
  const work = join(cache, `run-${process.pid}`)
  mkdirSync(work, { mode: 0o700 })
  try {
    const files = join(work, 'root')
    await step('the files of the machine', () => unpackMachine(packages, files))
    copyFileSync(machine, join(files, 'machine.sh'))
    const executables = await buildForArm64({ download: install })
    if (executables === undefined) throw skipped('the runtime for arm64 is not there, and --no-install was given')
    for (const { name, path } of executables) {
      const copy = join(files, 'opt/cni/bin', name)
      copyFileSync(path, copy)
      chmodSync(copy, 0o755)
    }
    await withoutKernel(files, executables)
    const log = join(logs, new Date().toISOString().replaceAll(/[-:]|\..*/g, ''))
    say(`  Log: ${log}.log; of the kernel: ${log}-kernel.log`)
    const flags = ['--conditions=@cni/source', '--disable-warning=ExperimentalWarning']
    process.exitCode = await runWithUs([node26, ...flags, boot, work, log, minutes])
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
})

function parse() {
  const { 'no-install': noInstall = false, minutes = '15', help = false } = parsed().values
  if (!/^[1-9]\d{0,3}$/.test(minutes)) {
    throw new Stop(`--minutes: expected a number from 1 to 9999, got ${JSON.stringify(minutes)}`, USAGE)
  }
  return { install: !noInstall, minutes, help }
}

function parsed() {
  const [text, flag] = [{ type: 'string' }, { type: 'boolean' }] as const
  try {
    return parseArgs({ options: { 'no-install': flag, minutes: text, help: { ...flag, short: 'h' } } as const })
  } catch (error) {
    throw new Stop(`${error instanceof Error ? error.message : error}. --help lists the options`, USAGE)
  }
}

function skipped(why: string) {
  return new Stop(`skipped: arm64 under emulation, because ${why}`, SKIPPED)
}

async function prepare(install: boolean) {
  const missing = missingPackages(PACKAGES)
  const command = `apt-get install --no-install-recommends ${missing.join(' ')}`
  const too = missing.length === 0 ? '' : `; as root: ${command}`
  if (process.getuid?.() !== 0) throw skipped(`it needs root. Run: sudo npm run test:arm64${too}`)
  if (missing.length > 0 && !(install && existsSync('/usr/bin/apt-get'))) {
    throw skipped(`these Debian packages are missing: ${missing.join(', ')}. Install them: ${command}`)
  }
  await ensurePackages(PACKAGES, { install })
  mkdirSync(logs, { recursive: true, mode: 0o700 })
  // What a run left that was killed before it could, and all logs but the latest.
  for (const name of readdirSync(cache)) {
    const pid = /^run-(\d+)$/.exec(name)?.[1]
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(cache, name), { recursive: true, force: true })
  }
  for (const old of readdirSync(logs).sort().slice(0, -30)) rmSync(join(logs, old))
}

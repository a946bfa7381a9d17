// npm run test:arm64 [-- OPTIONS]: tests our executables for arm64 in an emulated machine with Debian's kernel; see
// --help.
import { chmodSync, copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { debianPackages, unpackMachine } from './lib/arm64/debian-files.ts'
import { buildForArm64 } from './lib/arm64/executables-arm64.ts'
import { withoutKernel } from './lib/arm64/without-kernel.ts'
import { node26 } from './lib/exec.ts'
import { parsed } from './lib/options.ts'
import { main, say, step } from './lib/progress.ts'
import { runBound } from './lib/run-bound.ts'
import { FAILED, LATE, SKIPPED, USAGE } from './lib/vm/exit-codes.ts'
import { cacheFor, type MachineTests, minutesOf, newLog, prepare, skipped } from './lib/vm/machine-tests.ts'

const PACKAGES = ['qemu-system-arm', 'qemu-user-static', 'kmod', 'debian-archive-keyring'] as const

const HELP = `npm run test:arm64 [-- OPTIONS]

Compiles istio-cni and hello-chain for arm64 (cni-build --target linux-arm64) and runs them under emulation. VERSION, STATUS
and --help run on this machine's kernel. ADD, CHECK and DEL run in a virtual machine with Debian's kernel for arm64, with
iptables and with netlink. The API server is on this machine's loopback.
Needs root and these Debian packages:
${PACKAGES.join(', ')}.
The virtual machine's packages (kernel, C library, iptables, nftables, busybox) are downloaded, not installed.

  --no-install     do not install or download packages; if a package is missing, run nothing
  --minutes N      time limit of the virtual machine (15)
  --help

Progress is on stderr, the result on stdout. Logs: $XDG_CACHE_HOME/cni-ts/arm64/logs or /var/cache/cni-ts/arm64/logs. The
packages are beside that folder.

Exit code: 0 passed; ${FAILED} failed; ${LATE} time limit reached; ${USAGE} invalid options; ${SKIPPED} skipped, with the names of missing
packages; 1 other error.
`

const cache = cacheFor('arm64')
const tests: MachineTests = {
  script: 'test:arm64',
  title: 'arm64 under emulation',
  packages: PACKAGES,
  cache,
  logs: join(cache, 'logs'),
}
const boot = fileURLToPath(new URL('lib/arm64/boot.ts', import.meta.url))
const machine = fileURLToPath(new URL('lib/arm64/machine.sh', import.meta.url))

await main(async () => {
  const { help, install, minutes } = parse()
  if (help) return void process.stdout.write(HELP)
  await prepare(tests, { install })
  const packages = await debianPackages(cache, { install })
  if (packages.length === 0) throw skipped(tests, `${cache} holds no packages for arm64, and --no-install was given`)
  const work = join(cache, `run-${process.pid}`)
  mkdirSync(work, { mode: 0o700 })
  try {
    const files = join(work, 'root')
    await step('the files of the machine', () => unpackMachine(packages, files))
    copyFileSync(machine, join(files, 'machine.sh'))
    const executables = await buildForArm64({ install })
    if (executables === undefined)
      throw skipped(tests, 'the runtime for arm64 is not there, and --no-install was given')
    for (const { name, path } of executables) {
      const copy = join(files, 'opt/cni/bin', name)
      copyFileSync(path, copy)
      chmodSync(copy, 0o755)
    }
    await withoutKernel(executables)
    const log = newLog(tests)
    say(`  Log: ${log}.log; of the kernel: ${log}-kernel.log`)
    const flags = ['--conditions=@cni/source', '--disable-warning=ExperimentalWarning']
    process.exitCode = await runBound([node26, ...flags, boot, work, log, minutes])
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
})

function parse() {
  const [text, flag] = [{ type: 'string' }, { type: 'boolean' }] as const
  const options = { 'no-install': flag, minutes: text, help: { ...flag, short: 'h' } } as const
  const { 'no-install': noInstall = false, minutes = '15', help = false } = parsed({ options }).values
  return { install: !noInstall, minutes: minutesOf(minutes), help }
}

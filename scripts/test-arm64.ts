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
import { runWithUs } from './lib/run-with-us.ts'
import { FAILED, LATE, SKIPPED, USAGE } from './lib/vm/exit-codes.ts'
import { cacheFor, type MachineTests, minutesOf, newLog, prepare, skipped } from './lib/vm/machine-tests.ts'

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
    process.exitCode = await runWithUs([node26, ...flags, boot, work, log, minutes])
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

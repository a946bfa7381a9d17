// npm run test:vm [-- OPTIONS] [FILE...]: runs kernel tests in a virtual machine with Debian's kernel.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TEST_PACKAGES } from './lib/debian.ts'
import { exec, node26, root } from './lib/exec.ts'
import { buildExecutables } from './lib/executables.ts'
import { parsed } from './lib/options.ts'
import { main, Stop, say, seconds, step } from './lib/progress.ts'
import { FAILED, LATE, SKIPPED, USAGE } from './lib/vm/exit-codes.ts'
import { initramfs, likeHere } from './lib/vm/initramfs.ts'
import { debianKernel } from './lib/vm/kernel.ts'
import { cacheFor, type MachineTests, minutesOf, newLog, prepare, skipped } from './lib/vm/machine-tests.ts'
import { isAccelerator, qemu } from './lib/vm/qemu.ts'
import { testsInMachine } from './lib/vm/tests-in-machine.ts'

/** Default test files: only tests that depend on the kernel. All tests would take too long in emulation. */
const SAMPLE = [
  'packages/netns/test/',
  'packages/iptables/test/foreign/foreign.netns.test.ts',
  'packages/iptables/test/trouble.netns.test.ts',
  'packages/iptables/test/trace/trace.netns.test.ts',
  'packages/ipset/test/',
  'packages/ebpf/test/',
  'packages/istio-redirect/test/plugin/tproxy.netns.test.ts',
  'packages/istio-node-level/test/ebpf/programs.netns.test.ts',
  'packages/istio-node-level/test/ebpf/walks.netns.test.ts',
  // The next test file needs the kernel module geneve, which many other kernels lack.
  'packages/istio-node-level/test/walks.netns.test.ts',
  'packages/istio-redirect/test/e2e/plugin/user-namespace.test.ts',
  'docs/examples/tcp-redirect/',
]
/** Test files that do not run in the virtual machine, because they compare JavaScript runtimes and not kernels. */
const LEFT_OUT = ['packages/netns/test/runtimes.netns.test.ts', 'packages/ebpf/test/runtimes.netns.test.ts'] as const
/** Settings for few random test cases, because emulation is slow. */
const CASES = ['CNI_SET_CASES=5', 'CNI_FUZZ_RUNS=2']
/** Repeats crashed tests, because Node.js sometimes crashes at its start in emulation. */
const AGAIN = ['--retry.count=2', '--retry.condition=killed with SIG(SEGV|TRAP|ILL|BUS)'] as const

const PACKAGES = [...TEST_PACKAGES, 'qemu-system-x86', 'kmod', 'busybox-static'] as const

const HELP = `npm run test:vm [-- OPTIONS] [FILE...]

Boots Debian's kernel in a virtual machine (qemu) and runs a sample of the suites that need a real kernel, with link kinds
that other kernels may lack. The virtual machine reads this machine's files. Its writes stay in its memory. It has no
network and no disks. Needs root and these Debian packages:
${PACKAGES.join(', ')}.
The kernel is extracted from its package, not installed.

  FILE             path, or part of the path, of test files of the projects netns and e2e, instead of the sample
  --no-install     do not install packages or download the kernel; if a package is missing, run nothing
  --accel kvm|tcg  virtualization by this machine's processor (kvm, much faster) or by emulation (tcg, the default)
  --minutes N      time limit of the virtual machine (30)
  --keep           keep the machine's folder, and print how to enter it
  --help

Progress is on stderr, the result is one line on stdout. Logs: $XDG_CACHE_HOME/cni-ts/vm/logs or /var/cache/cni-ts/vm/logs.
The kernel is beside that folder.

Exit code: 0 passed; ${FAILED} a test failed or was skipped; ${LATE} time limit reached; ${USAGE} invalid options;
${SKIPPED} skipped, with the names of missing packages; 1 other error.
`

const cache = cacheFor('vm')
const tests: MachineTests = {
  script: 'test:vm',
  title: "Debian's kernel in a virtual machine",
  packages: PACKAGES,
  cache,
  logs: join(cache, 'logs'),
}

await main(async () => {
  const options = parse()
  if (options.help) return void process.stdout.write(HELP)
  await prepare(tests, options)
  const work = join(cache, `${options.keep ? 'kept' : 'run'}-${process.pid}`)
  mkdirSync(work)
  try {
    await bootAndTest(work, options)
  } finally {
    if (!options.keep) rmSync(work, { recursive: true, force: true })
  }
})

type Options = ReturnType<typeof parse>

function parse() {
  const [text, flag] = [{ type: 'string' }, { type: 'boolean' }] as const
  const options = { 'no-install': flag, accel: text, minutes: text, keep: flag, help: { ...flag, short: 'h' } } as const
  const { values, positionals } = parsed({ options, allowPositionals: true })
  const { 'no-install': noInstall = false, accel = 'tcg', minutes = '30', keep = false, help = false } = values
  if (!isAccelerator(accel)) throw new Stop(`--accel: expected kvm or tcg, got ${JSON.stringify(accel)}`, USAGE)
  const files = positionals.length === 0 ? SAMPLE : positionals
  return { install: !noInstall, accelerator: accel, minutes: Number(minutesOf(minutes)), keep, help, files }
}

async function bootAndTest(work: string, { install, accelerator, minutes, keep, files }: Options) {
  const kernel = await debianKernel(cache, { install, work })
  if (kernel === undefined) throw skipped(tests, `${cache} holds no kernel, and --no-install was given`)
  await buildExecutables(['istio-cni'])
  // Fills the compile cache of Node.js, which the virtual machine uses.
  await step('test files', () => exec([...vitest(files), '--testNamePattern=^$', '--passWithNoTests'], { quiet: true }))
  const log = newLog(tests)
  const initrd = join(work, 'initramfs')
  writeFileSync(initrd, initramfs(kernel, likeHere(kernel, root, vitest(files))))
  if (keep) {
    const shell = join(work, 'initramfs-shell')
    writeFileSync(shell, initramfs(kernel, likeHere(kernel, root, [])))
    const machine = qemu(kernel, { initrd: shell, console: '/dev/null', accelerator })
    say(`  A shell in the machine: ${machine.map((each) => (each.includes(' ') ? `'${each}'` : each)).join(' ')}`)
    say(`  To remove it: rm -r ${work}`)
  }
  say(`  Log: ${log}.log; of the kernel: ${log}-kernel.log`)
  const started = performance.now()
  const machine = qemu(kernel, { initrd, console: `${log}-kernel.log`, accelerator })
  const {
    version,
    files: reports,
    exitCode,
  } = await testsInMachine(machine, { log: `${log}.log`, minutes, lateCode: LATE })
  if (version === undefined) throw new Stop(`the machine did not come up. What it said: ${log}-kernel.log`)
  const sum = (of: (report: (typeof reports)[number]) => number) => reports.reduce((all, each) => all + of(each), 0)
  const [passed, failed, left] = [
    sum((each) => each.passed),
    sum((each) => each.failed),
    sum((each) => each.skipped.length),
  ]
  process.stdout.write(
    `Linux ${version}: ${passed} passed, ${failed} failed, ${left} skipped in ${reports.length} files, ${seconds(performance.now() - started)}\n`,
  )
  if (exitCode === 0 && failed + left === 0 && passed > 0) return
  const how = exitCode === undefined ? 'the machine went off before its tests were done' : 'not all tests passed there'
  throw new Stop(`${how}. What it said: ${log}.log, and the kernel: ${log}-kernel.log`, FAILED)
}

/** Command that runs all test files in one process, because each start of a process is slow in emulation. */
function vitest(files: readonly string[]): [string, ...string[]] {
  return [
    ...(['env', ...CASES, node26, join(root, 'node_modules/vitest/vitest.mjs'), 'run'] as const),
    ...[
      '--config=scripts/lib/vm/vitest.config.ts',
      '--project=netns',
      '--project=netns-isolated',
      '--project=e2e',
      '--fsModuleCache',
    ],
    ...[
      '--testTimeout=300000',
      '--no-color',
      ...AGAIN,
      ...(files === SAMPLE ? LEFT_OUT.map((file) => `--exclude=${file}`) : []),
      ...files,
    ],
  ]
}

// npm run test:runtimes [-- --no-install]: tests our plugins under containerd, podman and cnitool.
import { ensurePackages, missingPackages, TEST_PACKAGES } from './lib/debian.ts'
import { buildExecutables } from './lib/executables.ts'
import { main, Stop, say, step } from './lib/progress.ts'
import { inThrowAwayNode } from './lib/throw-away-node.ts'

/** Map from a container runtime to the Debian packages that its tests need. */
const SUITES = {
  containerd: ['containerd', 'runc', 'busybox-static', 'conntrack'],
  podman: ['podman', 'runc', 'busybox-static'],
  cnitool: [],
} as const
const RUNTIMES = [...new Set(Object.values(SUITES).flat())]

await main(async () => {
  if (process.getuid?.() !== 0) {
    const missing = missingPackages(RUNTIMES)
    const too = missing.length === 0 ? '' : `. These Debian packages are missing, too: ${missing.join(', ')}`
    throw new Stop(`these tests need root: they start container runtimes. Run: sudo npm run test:runtimes${too}`)
  }
  const install = !process.argv.includes('--no-install')
  await ensurePackages(TEST_PACKAGES, { install })
  if (install) await ensurePackages(RUNTIMES, { install })
  const suites = Object.entries(SUITES).map(([name, needs]) => ({ name, missing: missingPackages(needs) }))
  const chosen = suites.filter(({ missing }) => missing.length === 0).map(({ name }) => name)
  await buildExecutables(['istio-cni', 'install-cni', 'cnitool', 'hello-chain'])
  try {
    await step(`in a throw-away node: ${chosen.join(', ')}`, async () => {
      // Runs one test file at a time, because all files use the same throw-away node.
      const vitest = ['vitest', 'run', '--project=runtimes', '--no-file-parallelism'] as const
      const code = await inThrowAwayNode([...vitest, ...chosen.map((name) => `test/runtimes/${name}`)])
      if (code !== 0) throw new Stop(`the tests failed with exit code ${code}`)
    })
  } finally {
    for (const { name, missing } of suites.filter(({ missing }) => missing.length > 0)) {
      say(`skipped: ${name}, because these Debian packages are missing: ${missing.join(', ')}`)
    }
  }
})

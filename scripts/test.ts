// npm test [-- --no-install]: set up, look at the sources, then unit, property, process, type, real-namespace and end-to-end tests.
import { check } from './lib/check.ts'
import { ensurePackages, TEST_PACKAGES } from './lib/debian.ts'
import { exec } from './lib/exec.ts'
import { buildExecutables } from './lib/executables.ts'
import { findHelm } from './lib/helm.ts'
import { main, Stop, say, step } from './lib/progress.ts'

await main(async () => {
  const install = !process.argv.includes('--no-install')
  const isRoot = process.getuid?.() === 0
  if (isRoot) await ensurePackages(TEST_PACKAGES, { install })
  await check()
  await buildExecutables()
  const projects = isRoot ? ['unit', 'process', 'types', 'netns', 'e2e'] : ['unit', 'process', 'types']
  await step(`tests (${projects.join(', ')})`, () =>
    exec(['vitest', 'run', ...projects.map((project) => `--project=${project}`)], { stdout: 'inherit' }),
  )
  if (findHelm() === undefined) {
    say('– skipped: what the chart renders, for helm is neither on the PATH nor in CNI_PEERS')
  }
  if (!isRoot) {
    throw new Stop(
      'the namespace and end-to-end tests need root and were not run: they create network namespaces and iptables rules. Run: sudo npm test',
    )
  }
})

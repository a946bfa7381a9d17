// npm run test:backends [-- FILE...]: tests rule writes and reads in all combinations of programs and netlink.
import { ensurePackages, TEST_PACKAGES } from './lib/debian.ts'
import { exec } from './lib/exec.ts'
import { main, Stop, say } from './lib/progress.ts'

const SUITES = ['packages/iptables/', 'packages/istio-redirect/test/plugin/redirect-rules']

await main(async () => {
  if (process.getuid?.() !== 0) throw new Stop('these tests need root: they create network namespaces')
  await ensurePackages(TEST_PACKAGES, { install: true })
  // Tests more random rulesets than `npm test` does.
  const { CNI_FUZZ_RUNS = '200' } = process.env
  say(`CNI_FUZZ_RUNS=${CNI_FUZZ_RUNS}`)
  const files = process.argv.slice(2)
  await exec(
    ['vitest', 'run', '--project=netns', '--project=netns-isolated', ...(files.length === 0 ? SUITES : files)],
    {
      stdout: 'inherit',
      env: { CNI_BACKENDS: 'all', CNI_FUZZ_RUNS },
    },
  )
})

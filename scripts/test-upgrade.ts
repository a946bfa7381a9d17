// npm run test:upgrade [-- --from REF]: upgrades a node from an earlier agent, and back.
import { ensurePackages, TEST_PACKAGES } from './lib/debian.ts'
import { buildExecutables } from './lib/executables.ts'
import { parsed } from './lib/options.ts'
import { main, Stop, say, step } from './lib/progress.ts'
import { buildReleased, findCommit, RELEASED } from './lib/released.ts'
import { inThrowAwayNode } from './lib/throw-away-node.ts'

const HELP = `npm run test:upgrade [-- OPTIONS] [FILE...]

Updates the agent of a temporary node from release ${RELEASED} to this commit, and back. Meanwhile pods are added, checked and
deleted, and the agents are killed. The node has its own network, mount and process namespaces. Needs root. The release
is built once, from its tag or from the commit "chore: release ${RELEASED}", and cached.

  --from REF     start from this commit instead of release ${RELEASED}
  --no-install   fail if Debian packages are missing, instead of installing them
  FILE...        only test files whose path contains FILE
  --help

Exit code: 0 passed, or skipped because this clone does not have the release; 1 failed; 2 invalid options.
Executables of the release: $XDG_CACHE_HOME/cni-ts/upgrade or /var/cache/cni-ts/upgrade.
`

await main(async () => {
  const { values, positionals } = parse()
  if (values.help) return void process.stdout.write(HELP)
  const found = await findCommit(values.from)
  if ('missing' in found) return say(`skipped: the update from release ${RELEASED}, because ${found.missing}`)
  if (process.getuid?.() !== 0) {
    throw new Stop('these tests need root: they create network namespaces. Run: sudo npm run test:upgrade')
  }
  await ensurePackages(TEST_PACKAGES, { install: !values['no-install'] })
  const released = await buildReleased(found.commit)
  await buildExecutables(['istio-cni', 'install-cni'])
  await step(`in a throw-away node: from ${found.name} to this commit, and back`, async () => {
    // Runs one test file at a time, because all files use the same throw-away node.
    const vitest = ['vitest', 'run', '--project=upgrade', '--no-file-parallelism', ...positionals] as const
    const code = await inThrowAwayNode(['env', `CNI_UPGRADE_FROM=${released}`, ...vitest])
    if (code !== 0) throw new Stop(`the tests failed with exit code ${code}`)
  })
})

function parse() {
  const flag = { type: 'boolean', default: false } as const
  const options = { from: { type: 'string' }, 'no-install': flag, help: { ...flag, short: 'h' } } as const
  return parsed({ options, allowPositionals: true })
}

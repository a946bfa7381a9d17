// npm run test:mutation [-- NAME...]: changes the source code and counts the changes that unit tests detect. The first
// run takes hours.
import { join } from 'node:path'
import { env, exec } from './lib/exec.ts'
import { main, Stop, say } from './lib/progress.ts'

/** Map from a mutated package to the folders with tests of its pure functions. */
const PACKAGES = new Map([
  ['types', ['packages/types/src']],
  [
    'istio-rules',
    [
      'packages/istio-rules/src',
      ...['tools', 'explain', 'plugin', 'decide', 'agent/ambient/rules', 'agent/ambient/namespace'].map(
        (folder) => `packages/istio-redirect/src/${folder}`,
      ),
    ],
  ],
])

await main(async () => {
  const given = process.argv.slice(2)
  const unknown = given.find((name) => !PACKAGES.has(name))
  if (unknown !== undefined) {
    throw new Stop(`expected ${[...PACKAGES.keys()].join(' or ')}, got ${JSON.stringify(unknown)}`, 2)
  }
  for (const [name, tested] of PACKAGES) {
    if (given.length > 0 && !given.includes(name)) continue
    const folder = `packages/${name}`
    const results = join('dist/mutation', name)
    say(`${folder}: what was seen is kept in ${results}.json; its page is dist/mutation/report.html at the end`)
    // Runs the mutation test with the lowest CPU priority on this machine.
    await exec(['nice', '-n', '19', 'stryker', 'run', ...options(folder, results)], {
      env: { ...env, MUTATED: folder, TESTED: tested.join() },
      stdout: 'inherit',
    })
  }
})

function options(folder: string, results: string) {
  const mutated = [`${folder}/src/**/*.ts`, '!**/*.test.ts', '!**/*.test-d.ts', '!**/index.ts'].join()
  return ['scripts/mutation/stryker.json', `--mutate=${mutated}`, `--incrementalFile=${results}.json`]
}

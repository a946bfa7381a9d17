// npm run test:mutation [-- NAME...]: changes the source code and counts the changes that unit tests detect. The first
// run takes hours.
import { join } from 'node:path'
import { env, exec } from './lib/exec.ts'
import { main, Stop, say } from './lib/progress.ts'

/** Source folders that the mutation test changes. They contain pure functions on which all other code depends. */
const FOLDERS = new Map([
  ['types', { folder: 'packages/types/src', tests: ['packages/types/src'] }],
  // The tests of the agent and of the tools also test the rules.
  [
    'istio-rules',
    { folder: 'packages/istio-rules/src', tests: ['packages/istio-rules/src', 'packages/istio-redirect/src'] },
  ],
])

await main(async () => {
  const given = process.argv.slice(2)
  const unknown = given.find((name) => !FOLDERS.has(name))
  if (unknown !== undefined) {
    throw new Stop(`expected ${[...FOLDERS.keys()].join(' or ')}, got ${JSON.stringify(unknown)}`, 2)
  }
  for (const [name, { folder, tests }] of FOLDERS) {
    if (given.length > 0 && !given.includes(name)) continue
    const results = join('dist/mutation', name)
    say(`${folder}: what was seen is kept in ${results}.json; its page is dist/mutation/report.html at the end`)
    // Runs the mutation test with the lowest CPU priority on this machine.
    await exec(['nice', '-n', '19', 'stryker', 'run', ...options(folder, results)], {
      env: { ...env, TESTED: tests.join() },
      stdout: 'inherit',
    })
  }
})

function options(folder: string, results: string) {
  const mutated = [`${folder}/**/*.ts`, '!**/*.test.ts', '!**/*.test-d.ts', '!**/index.ts'].join()
  return ['scripts/mutation/stryker.json', `--mutate=${mutated}`, `--incrementalFile=${results}.json`]
}

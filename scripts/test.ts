// npm test [-- --changed [REF]]: checks the sources and runs all tests.
import { seed } from '../test/deep.ts'
import { changedSince } from './lib/changed.ts'
import { checkLint, checkPackages, checkSources, checkTexts } from './lib/check.ts'
import { ensurePackages, TEST_PACKAGES } from './lib/debian.ts'
import { checkTypes } from './lib/docs.ts'
import { exec } from './lib/exec.ts'
import { buildExecutables } from './lib/executables.ts'
import { findHelm } from './lib/helm.ts'
import { parsed } from './lib/options.ts'
import { main, Stop, say, step, together } from './lib/progress.ts'

const HELP = `npm test [-- OPTIONS]

Installs packages, checks sources and packages, builds the executables, and runs the tests. Slow suites run a sample of
their cases. The title of such a suite has the seed; CNI_SEED=SEED repeats the sample. "npm run test:deep" runs all cases.

  --changed [REF]  only lint, types, documentation, and the tests that import a file changed since the commit REF.
                   Default of REF: the merge base with origin/main; on main: the last commit's parent.
                   A program that a test starts is not an import, so run all tests before a merge
  --deep           all cases of all suites (CNI_DEEP=1)
  --no-install     do not install missing Debian packages
  --help

Exit code: 1 failed; 2 invalid options.
`

await main(async () => {
  const { help, deep, since, install } = await parse()
  if (help) return void process.stdout.write(HELP)
  const isRoot = process.getuid?.() === 0
  if (isRoot) await ensurePackages(TEST_PACKAGES, { install })
  await checkLint(since)
  if (since === undefined) {
    await together(checkSources, async () => {
      await checkPackages()
      await buildExecutables()
    })
  } else {
    await together(
      () => step('types (tsc)', checkTypes),
      async () => {
        await checkTexts()
        await buildExecutables()
      },
    )
  }
  const projects = isRoot
    ? ['unit', 'unit-isolated', 'process', 'netns', 'netns-isolated', 'e2e']
    : ['unit', 'unit-isolated', 'process']
  const which = deep ? 'all cases' : `CNI_SEED=${seed}`
  await step(`tests (${projects.join(', ')}; ${which})`, () =>
    exec(
      [
        'vitest',
        'run',
        ...projects.map((project) => `--project=${project}`),
        ...(since === undefined ? [] : [`--changed=${since}`, '--passWithNoTests']),
      ],
      { stdout: 'inherit', env: deep ? { CNI_DEEP: '1' } : { CNI_SEED: process.env.CNI_SEED ?? `${seed}` } },
    ),
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

async function parse() {
  const flag = { type: 'boolean', default: false } as const
  const options = { changed: flag, deep: flag, 'no-install': flag, help: { ...flag, short: 'h' } } as const
  const { values, positionals } = parsed({ options, allowPositionals: true })
  const [ref, ...more] = positionals
  if (more.length > 0 || (ref !== undefined && !values.changed)) {
    throw new Stop(`unexpected argument ${JSON.stringify(more[0] ?? ref)}. --help lists the options`, 2)
  }
  const since = values.changed && !values.help ? await changedSince(ref) : undefined
  return { ...values, since, install: !values['no-install'] }
}

// npm test [-- --changed [REF]]: installs dependencies, checks the sources, then runs unit, property, process, type,
// real-namespace and end-to-end tests.
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

Sets up, checks sources and packages, builds the executables, runs the tests. Of slow suites a sample runs; the title of
the suite has its seed, and CNI_SEED=SEED brings that sample back. "npm run test:deep" runs all of them.

  --changed [REF]  only tests that import, over any number of files, what changed since the commit REF, and lint, types and
                   documentation; default of REF: where origin/main was left, on main itself the commit before. What a test
                   starts as a process is not imported: before a merge run everything
  --deep           every case of every suite (CNI_DEEP=1)
  --no-install     install no Debian packages
  --help

Exit code: 2 wrong options; 1 when something failed.
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

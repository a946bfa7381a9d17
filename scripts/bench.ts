// npm run bench [-- options]: runs all benchmarks and writes their results to one report; see --help.
import { benchOptions, HELP, SUITES, UsageError } from '../bench/lib/options.ts'
import { ensurePackages, TEST_PACKAGES } from './lib/debian.ts'
import { exec, node26 } from './lib/exec.ts'
import { buildExecutables } from './lib/executables.ts'
import { main, Stop, say } from './lib/progress.ts'

await main(async () => {
  const options = readOptions()
  if (options === undefined) return
  if (options.help) return void process.stdout.write(HELP)
  if (options.list) return void process.stdout.write(`${Object.keys(SUITES).join('\n')}\n`)
  if (process.getuid?.() !== 0)
    throw new Stop('the benchmarks need root: they create network namespaces. Run: sudo npm run bench')
  await ensurePackages(TEST_PACKAGES, options)
  await buildExecutables([...new Set(options.suites.flatMap((name) => SUITES[name].executables))])
  const flags = ['--conditions=@cni/source', '--disable-warning=ExperimentalWarning']
  await exec([node26, ...flags, 'bench/main.ts', ...process.argv.slice(2)], {
    stdout: 'inherit',
    explains: true,
  })
})

function readOptions() {
  try {
    return benchOptions(process.argv.slice(2))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    say(`${error.message}\nnpm run bench -- --help shows the options`)
    process.exitCode = 2
    return undefined
  }
}

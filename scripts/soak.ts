// npm run soak [-- --minutes 60 --seed N --json FILE]: runs the agent while pods and servers change.
import { UsageError } from '../bench/lib/options.ts'
import { HELP, type SoakOptions, soakOptions } from '../bench/soak/options.ts'
import { ensurePackages, TEST_PACKAGES } from './lib/debian.ts'
import { exec, node26 } from './lib/exec.ts'
import { buildExecutables } from './lib/executables.ts'
import { main, Stop } from './lib/progress.ts'

await main(async () => {
  const options = readOptions()
  if (options.help) return void process.stdout.write(HELP)
  if (process.getuid?.() !== 0)
    throw new Stop('the soak needs root: it makes network namespaces. Run: sudo npm run soak')
  await ensurePackages(TEST_PACKAGES, options)
  await buildExecutables(['istio-cni', 'install-cni'])
  const flags = ['--conditions=@cni/source', '--disable-warning=ExperimentalWarning']
  const soak = [node26, ...flags, 'bench/soak/main.ts', ...process.argv.slice(2)]
  await exec(['unshare', '--net', '--mount', '--propagation', 'private', '--', ...soak], {
    stdout: 'inherit',
    explains: true,
  })
})

function readOptions(): SoakOptions {
  try {
    return soakOptions(process.argv.slice(2))
  } catch (error) {
    if (error instanceof UsageError) throw new Stop(`${error.message}\nnpm run soak -- --help shows the options`, 2)
    throw error
  }
}

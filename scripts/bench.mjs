// npm run bench [-- --runs N]: whole-process times of the compiled plugin, cnitool and chains; CNI_PEERS=<folder of the originals> races them.
import { ensurePackages } from './lib/debian.mjs'
import { exec, node26 } from './lib/exec.mjs'
import { buildExecutables } from './lib/executables.mjs'
import { main, Stop } from './lib/progress.mjs'
import { setUp } from './lib/setup.mjs'

await main(async () => {
  await setUp()
  if (process.getuid?.() !== 0)
    throw new Stop('the benchmarks need root: they create network namespaces. Run: sudo npm run bench')
  await ensurePackages(['containernetworking-plugins', 'iptables', 'ipset', 'util-linux'], { install: true })
  await buildExecutables(['istio-cni', 'install-cni', 'hello-chain', 'cnitool'])
  for (const file of [
    'bench/plugin.ts',
    'bench/libcni.ts',
    'bench/iptables.ts',
    'bench/iptables-sets.ts',
    'bench/agent.ts',
    'bench/startup.ts',
  ]) {
    const bench = [node26, '--conditions=@cni/source', '--disable-warning=ExperimentalWarning', file]
    await exec(['unshare', '--net', '--mount', '--propagation', 'private', '--', ...bench, ...process.argv.slice(2)], {
      stdout: 'inherit',
    })
  }
})

// npm run fleet [-- --nodes 300 --agents 20 --pods 100 --rest-minutes 10 --json FILE --no-install]: measures the load
// of many agents on an API server. Needs root, etcd and kube-apiserver (in CNI_PEERS or PATH).
// --agents: number of nodes with a whole agent. The other nodes only watch pods.
import { findExecutable } from '../packages/host/src/find-executable.ts'
import { ensurePackages } from './lib/debian.ts'
import { exec, node26 } from './lib/exec.ts'
import { buildExecutables } from './lib/executables.ts'
import { parsed } from './lib/options.ts'
import { main, Stop } from './lib/progress.ts'

await main(async () => {
  const args = process.argv.slice(2).filter((name) => name !== '--no-install')
  const numbers = ['nodes', 'agents', 'pods', 'rest-minutes']
  const string = { type: 'string' } as const
  const { values } = parsed({ args, options: Object.fromEntries([...numbers, 'json'].map((name) => [name, string])) })
  for (const name of numbers) {
    const text = values[name]
    if (text !== undefined && !/^[1-9]\d{0,4}$/.test(String(text))) {
      throw new Stop(`--${name}: expected a positive number, got ${JSON.stringify(text)}`, 2)
    }
  }
  if (process.getuid?.() !== 0) throw new Stop('the agents need root. Run: sudo npm run fleet')
  await ensurePackages(['etcd-server'], { install: !process.argv.includes('--no-install') })
  const [etcd, apiserver] = ['etcd', 'kube-apiserver'].map((name) =>
    findExecutable(name, [process.env.PATH, process.env.CNI_PEERS].filter(Boolean).join(':')),
  )
  if (etcd === undefined) throw new Stop('there is no etcd; install etcd-server')
  if (apiserver === undefined) throw new Stop('there is no kube-apiserver; name its folder in CNI_PEERS')
  await buildExecutables(['install-cni'])
  const flags = ['--conditions=@cni/source', '--disable-warning=ExperimentalWarning']
  const programs = [`--etcd=${etcd}`, `--apiserver=${apiserver}`]
  await exec([node26, ...flags, 'bench/fleet/main.ts', ...programs, ...args], { stdout: 'inherit', explains: true })
})

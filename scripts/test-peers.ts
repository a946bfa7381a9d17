// npm run test:peers: compares our programs with the original programs, such as Istio's, in CNI_PEERS=<folder>.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ensurePackages, TEST_PACKAGES } from './lib/debian.ts'
import { exec } from './lib/exec.ts'
import { buildExecutables } from './lib/executables.ts'
import { main, Stop, say } from './lib/progress.ts'

// Original programs that the folders of test/peers need, each with the comparison that needs it.
const PEERS = new Map([
  ['cnitool', 'cnitool: a list executed and remembered by either'],
  ['istio-cni', 'plugin: random pods through both plugins, with iptables and with native nftables'],
  ['install-cni', 'kubernetes: the repair controller, with kube-apiserver and etcd'],
  ['istio-iptables', 'command: random command lines through both programs'],
  ['ztunnel', 'ztunnel: a real ztunnel with our agent, and what it answers beside its stand-in'],
  ['kube-apiserver', 'kubernetes: a real API server for the repair controllers and the rights of the chart'],
])

await main(async () => {
  const folder = process.env.CNI_PEERS
  if (!folder) throw new Stop(`CNI_PEERS is not set: name the folder that holds ${[...PEERS.keys()].join(', ')}`)
  const missing = [...PEERS].filter(([name]) => !existsSync(join(folder, name)))
  for (const [name, what] of missing) say(`missing: ${join(folder, name)} (${what})`)
  if (missing.length === PEERS.size) throw new Stop(`CNI_PEERS=${folder} holds none of the originals`)
  if (process.getuid?.() !== 0) throw new Stop('these tests need root: they create network namespaces')
  await ensurePackages([...TEST_PACKAGES, 'etcd-server'], { install: true })
  await buildExecutables()
  // Uses one seed for all test suites, so that CNI_SEED can repeat a failure.
  const { CNI_SEED = String(Date.now() % 0x7fff_ffff), CNI_FUZZ_RUNS } = process.env
  say(`CNI_SEED=${CNI_SEED}${CNI_FUZZ_RUNS === undefined ? '' : ` CNI_FUZZ_RUNS=${CNI_FUZZ_RUNS}`}`)
  await exec(['vitest', 'run', '--project=e2e', 'test/peers'], {
    stdout: 'inherit',
    env: { CNI_PEERS: resolve(folder), CNI_SEED },
  })
  for (const [name] of missing) say(`not compared, because it is missing: ${name}`)
})

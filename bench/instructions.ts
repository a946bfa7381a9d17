/** Counts the instructions of whole plugin calls with valgrind, and also measures the time of each call. */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repairGrants } from '@cni/istio-redirect/testing'
import { startNode } from '@cni/istio-redirect/testing/node'
import { called, HELLO_CONF } from './lib/calls/example-calls.ts'
import { add, after, MESH, OUTSIDE } from './lib/calls/plugin-calls.ts'
import { bareRuntime } from './lib/calls/references.ts'
import { root } from './lib/compiled.ts'
import { type Contender, version } from './lib/race/contender.ts'
import { findValgrind } from './lib/race/instructions.ts'
import { SuiteReport, settings } from './lib/race/suite.ts'
import { freshCopy } from './lib/scratch.ts'
import { tmpfs } from './lib/tmpfs.ts'

const used = settings({ runs: 5 })
const suite = new SuiteReport('Instructions of whole plugin calls in user mode, without their children', used)

if (findValgrind() === undefined)
  process.stderr.write('  skipped: valgrind is not installed (apt-get install valgrind)\n')
else await count()

async function count(): Promise<void> {
  const bare = await bareRuntime()
  const hello = {
    name: 'hello-chain',
    argv: [freshCopy(join(root, 'dist/bin/hello-chain'))],
    conf: HELLO_CONF,
  } as const
  const file = freshCopy(join(root, 'dist/bin/istio-cni'))
  const istio = { name: 'istio-cni', argv: [file], conf: { agent: 'never' } } as const

  using folder = mkdtempDisposableSync(join(tmpdir(), 'cni-bench-'))
  using mounts = new DisposableStack()
  for (const path of [folder.path, '/run/cni']) mounts.use(tmpfs(path))
  const options = { folder: folder.path, target: 'host', plugin: file, pods: [MESH, OUTSIDE] } as const
  await using node = await startNode({ ...options, grants: repairGrants.repair })
  await counted('VERSION', [version(hello), version(istio), bare])
  // Excludes the pod's Kubernetes namespace: an API request would use TLS, which fails under valgrind.
  const excluded = { ...istio, name: 'istio-cni, excluded namespace' }
  const skips = add(node, excluded, OUTSIDE.metadata.name, false, { exclude_namespaces: ['demo'] })
  await counted('ADD', [called(hello, 'ADD'), skips, bare])
  await counted('CHECK', [called(hello, 'CHECK'), after(node, istio, 'CHECK'), bare])
  await counted('DEL', [called(hello, 'DEL'), after(node, istio, 'DEL'), bare])
  suite.write()
}

async function counted(group: string, contenders: readonly Contender[]): Promise<void> {
  await suite.race(group, contenders, used.runs)
  await suite.count(group, contenders, used.runs)
}

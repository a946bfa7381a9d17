import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '@cni/host'
import { installer } from '@cni/installer'
import { expect, test } from 'vitest'
import { NODE } from '../../../test/node.ts'
import { crashBefore } from '../test/crash-fs.ts'
import { bridge, calico, type FakeNode, fakeNode } from '../test/node.ts'
import { listCandidates } from './conf/candidate.ts'

/** Expects valid files for runtimes and pods: old or new ones, never partial ones. */
function expectWhole(node: FakeNode, primaries: readonly string[]): void {
  const files = node.files()
  const net = Object.entries(files).flatMap(([name, text]): [string, Buffer][] =>
    name.startsWith('net/') ? [[name.slice(4), Buffer.from(text, 'latin1')]] : [],
  )
  const [first] = listCandidates(new Map(net)).valid
  const types = first?.types ?? []
  expect(primaries).toContain(types.filter((type) => type !== 'mesh')[0])
  // Our entry requires the plugin and its kubeconfig.
  if (types.includes('mesh')) {
    expect(files['bin/mesh']).toMatch(/^plugin v[01]$/)
    expect(files['run/kubeconfig']).toMatch(/token: tok\.en\n$/)
  }
  expect([undefined, 'plugin v0', 'plugin v1']).toContain(files['bin/mesh'])
}

const scenarios: [string, () => FakeNode, (node: FakeNode) => Promise<unknown>][] = [
  ['a first installation', () => fakeNode(), (node) => installer(node.options).install()],
  ['a conversion to a list', () => fakeNode({ '10-bridge.conf': bridge }), (node) => installer(node.options).install()],
  [
    'an update',
    () => {
      const node = fakeNode()
      node.write('bin/mesh', 'plugin v0', 0o700)
      node.write('run/kubeconfig', 'token: tok.en\n')
      const mine = { type: 'mesh', old: true }
      node.write('net/10-calico.conflist', JSON.stringify({ name: 'n', plugins: [mine, { type: 'calico' }, mine] }))
      return node
    },
    (node) => installer(node.options).install(),
  ],
  [
    'an installation into a file of its own',
    () => fakeNode(),
    (node) => installer({ ...node.options, mode: { owned: '02-mesh.conflist' } }).install(),
  ],
]

test.each(scenarios)(
  '%s that is killed between any two calls leaves a working node, and the next run completes it',
  async (_, make, work) => {
    using done = make()
    await work(done)
    const expected = done.files()
    let total = 0
    for (let n = 1; ; n += 1) {
      using node = make()
      const calls = await crashBefore(n, () => work(node))
      if (calls < n) break
      total = n
      expectWhole(node, ['calico', 'bridge'])
      await work(node)
      expect(node.files(), `after a crash before call ${n}`).toEqual(
        JSON.parse(JSON.stringify(expected).replaceAll(done.root, node.root)),
      )
    }
    expect(total).toBeGreaterThan(10)
  },
)

test('an uninstallation that is killed between any two calls leaves a working node, and the next run completes it', async () => {
  for (let n = 1; ; n += 1) {
    using node = fakeNode()
    const mesh = installer(node.options)
    await mesh.install()
    const calls = await crashBefore(n, () => installer(node.options).uninstall())
    expectWhole(node, ['calico'])
    await installer(node.options).uninstall()
    expect(node.files()).toEqual({
      'bin/mesh-lib.so': 'library v1',
      'net/10-calico.conflist': calico,
      'sa/ca.crt': 'CA',
      'sa/token': 'tok.en',
      'src/mesh': 'plugin v1',
      'src/mesh-lib.so': 'library v1',
    })
    if (calls < n) return
  }
})

/** Number of file system changes in a whole conversion, plus one. */
const CALLS = 19
const all = Array.from({ length: CALLS + 1 }, (_, index) => index + 1)
const steps = process.env.CNI_CRASH_ALL ? all : [1, 3, 6, 10, 14, 17, CALLS, CALLS + 1]

test.each(steps)('a process that is killed before call %d leaves a working node', async (n) => {
  using node = fakeNode({ '10-bridge.conf': bridge })
  const program = join(import.meta.dirname, '../test/processes/install-and-die.ts')
  const argv = [...NODE, program, node.root, String(n)] as const
  const { signal, exitCode, stderr } = await run(argv, { reject: false, env: { PATH: process.env.PATH ?? '' } })
  expect([signal, exitCode, stderr]).toEqual(n > CALLS ? [null, 0, ''] : ['SIGKILL', null, ''])
  expectWhole(node, ['bridge'])
  const copy = mkdtempSync(join(tmpdir(), 'cni-installer-'))
  try {
    cpSync(node.root, copy, { recursive: true })
    using again = fakeNode(null, copy)
    const { ready } = await installer(again.options).install()
    expect(ready).toBe(true)
    expect(Object.keys(again.files()).filter((name) => name.includes('tmp'))).toEqual([])
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
})

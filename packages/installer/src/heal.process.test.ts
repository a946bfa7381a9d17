import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { run, start } from '@cni/host'
import { installer } from '@cni/installer'
import { expect, test } from 'vitest'
import { bridge, calico, eventually, type FakeNode, fakeNode, keepReverting } from '../test/node.ts'
import { installed, running } from '../test/running.ts'

const edit = (node: FakeNode, change: (plugins: object[]) => object[]) => {
  const list = JSON.parse(node.read('net/10-calico.conflist'))
  node.write('net/10-calico.conflist', `${JSON.stringify({ ...list, plugins: change(list.plugins) }, null, 2)}\n`)
}

test.each<[string, (node: FakeNode) => void]>([
  ['a stripped conflist', (node) => node.write('net/10-calico.conflist', calico)],
  ['an edited entry', (node) => edit(node, (plugins) => [...plugins.slice(0, -1), { type: 'mesh', port: 1 }])],
  ['an entry stripped to its type', (node) => edit(node, (plugins) => [...plugins.slice(0, -1), { type: 'mesh' }])],
  ['a moved entry', (node) => edit(node, (plugins) => plugins.toReversed())],
  ['a duplicated entry', (node) => edit(node, (plugins) => [...plugins, ...plugins.slice(-1)])],
  ['a conflist open to all', (node) => chmodSync(node.path('net/10-calico.conflist'), 0o666)],
  ['an unreadable conflist', (node) => chmodSync(node.path('net/10-calico.conflist'), 0)],
  ['a removed binary', (node) => rmSync(node.path('bin/mesh'))],
  ['a removed library', (node) => rmSync(node.path('bin/mesh-lib.so'))],
  ['an appended binary', (node) => writeFileSync(node.path('bin/mesh'), 'x', { flag: 'a' })],
  ['a binary of the same size', (node) => node.write('bin/mesh', 'plugin vX')],
  ['a binary that cannot be executed', (node) => chmodSync(node.path('bin/mesh'), 0o644)],
  ['a binary moved away', (node) => renameSync(node.path('bin/mesh'), node.path('elsewhere'))],
  [
    'a binary replaced by a link',
    (node) => {
      rmSync(node.path('bin/mesh'))
      symlinkSync('/bin/true', node.path('bin/mesh'))
    },
  ],
  ['a removed kubeconfig', (node) => rmSync(node.path('run/kubeconfig'))],
  ['a removed run folder', (node) => rmSync(node.path('run'), { recursive: true })],
  ['an edited kubeconfig', (node) => node.write('run/kubeconfig', 'x')],
  ['a kubeconfig open to all', (node) => chmodSync(node.path('run/kubeconfig'), 0o644)],
])('%s is healed', async (_, damage) => {
  const { node, installer } = await installed()
  const readModes = () =>
    JSON.stringify([Object.entries(node.files()).filter(([name]) => name !== 'elsewhere'), modes(node)])
  const before = readModes()
  damage(node)
  await eventually(() => readModes() === before, 'healed', 2000)
  await eventually(() => installer.status().ready, 'ready')
})

const modes = (node: FakeNode) =>
  ['net/10-calico.conflist', 'bin/mesh', 'run/kubeconfig'].map((name) => statSync(node.path(name)).mode.toString(8))

test('a rotated token and a changed CA are written to the kubeconfig, also through the links of a mounted secret', async () => {
  const { node } = await installed()
  node.write('sa/token', 'second')
  await eventually(() => node.read('run/kubeconfig').includes('token: second\n'), 'token')
  node.write('sa/ca.crt', 'CB')
  await eventually(() => node.read('run/kubeconfig').includes(Buffer.from('CB').toString('base64')), 'CA')
  mkdirSync(node.path('sa/..2'))
  node.write('sa/..2/token', 'third')
  symlinkSync('..2/token', node.path('sa/.new'))
  renameSync(node.path('sa/.new'), node.path('sa/token'))
  await eventually(() => node.read('run/kubeconfig').includes('token: third\n'), 'rotated')
})

test('a new version in the source folder replaces a running one, and can be started at once', async () => {
  const { node } = await installed()
  const versions = ['/bin/sleep', '/bin/cat'].map((path) => readFileSync(path))
  const isVersion = (index: number) => readFileSync(node.path('bin/mesh')).equals(versions[index] ?? Buffer.alloc(0))
  copyFileSync('/bin/sleep', node.path('src/mesh'))
  await eventually(() => isVersion(0), 'installed')
  const old = start([node.path('bin/mesh'), '60'])
  const ended = old.done.catch(() => {})
  try {
    copyFileSync('/bin/cat', node.path('src/mesh'))
    await eventually(() => isVersion(1), 'updated')
    const { stdout } = await run([node.path('bin/mesh'), node.path('sa/token')])
    expect(stdout).toBe('tok.en')
  } finally {
    old.kill('SIGKILL')
    await ended
  }
})

test('an incomplete or missing primary keeps its role for two seconds, and nothing is written', async () => {
  const { node, installer } = await installed(fakeNode({ '10-calico.conflist': calico, '20-bridge.conf': bridge }), {
    holdMs: 300,
  })
  const withEntry = node.read('net/10-calico.conflist')
  node.write('net/10-calico.conflist', withEntry.slice(0, 40))
  await eventually(() => !installer.status().ready, 'noticed')
  expect(installer.status().reason).toContain('10-calico.conflist is not usable')
  expect(node.read('net/20-bridge.conf')).toBe(bridge)
  node.write('net/10-calico.conflist', calico)
  await eventually(() => node.read('net/10-calico.conflist') === withEntry, 'healed')
  rmSync(node.path('net/10-calico.conflist'))
  const since = performance.now()
  await eventually(() => node.files()['net/20-bridge.conflist']?.includes('"mesh"') ?? false, 'adopted')
  expect(performance.now() - since).toBeGreaterThan(250)
  node.write('net/10-calico.conflist', withEntry)
  await eventually(() => installer.status().primary === '10-calico.conflist', 'followed')
  await eventually(() => !node.read('net/20-bridge.conflist').includes('"mesh"'), 'taken out of the former one')
})

test('a new file that sorts first becomes the primary, and the former one gets its old bytes back', async () => {
  const { node, installer } = await installed()
  node.write('net/05-new.conflist', calico)
  await eventually(() => node.read('net/10-calico.conflist') === calico, 'left')
  expect(node.read('net/05-new.conflist')).toContain('"mesh"')
  expect(installer.status()).toMatchObject({ ready: true, primary: '05-new.conflist' })
  expect(node.events).toContainEqual({ type: 'adopted', primary: '05-new.conflist', former: '10-calico.conflist' })
})

test('a net folder that appears later is noticed within a second', async () => {
  const { node, installer } = running(fakeNode(null))
  await eventually(() => installer.status().reason === 'the net folder does not exist', 'waiting')
  for (const round of [1, 2]) {
    mkdirSync(node.path('net'))
    node.write('net/10-calico.conflist', calico)
    expect(await eventually(() => installer.status().ready, `round ${round}`)).toBeLessThan(1000)
    expect(node.read('net/10-calico.conflist')).toContain('"mesh"')
    rmSync(node.path('net'), { recursive: true })
    await eventually(() => !installer.status().ready, 'gone')
  }
})

test('the target of a linked conflist is written, and its changes are noticed', async () => {
  const node = fakeNode({})
  mkdirSync(node.path('real'))
  node.write('real/list', calico)
  symlinkSync('../real/list', node.path('net/10-calico.conflist'))
  await installed(node)
  expect(node.read('real/list')).toContain('"mesh"')
  node.write('real/list', calico)
  await eventually(() => node.read('real/list').includes('"mesh"'), 'healed', 1500)
  expect(readFileSync(node.path('net/10-calico.conflist'), 'utf8')).toBe(node.read('real/list'))
})

test('three rewrites of a file are healed at once, and the next one is delayed', async () => {
  const { node, installer } = await installed(undefined, { rewriteMs: 600_000 })
  const withEntry = node.read('net/10-calico.conflist')
  for (const round of [1, 2, 3]) {
    node.write('net/10-calico.conflist', calico)
    await eventually(() => node.read('net/10-calico.conflist') === withEntry, `heal ${round}`)
  }
  node.write('net/10-calico.conflist', calico)
  await eventually(() => installer.status().reason?.includes('put right again in a moment') ?? false, 'said')
  expect(node.read('net/10-calico.conflist')).toBe(calico)
})

test('a competing program causes at most five rewrites a second, is reported, and does not delay the end', async () => {
  const { node, stop } = await installed(undefined, { rewriteMs: 20 })
  await keepReverting(node, 600)
  const rewrites = node.events.filter((event) => event.type === 'changed' && event.path.endsWith('conflist')).length
  expect(rewrites).toBeGreaterThan(8)
  expect(rewrites).toBeLessThan(36)
  expect(node.events.filter((event) => event.type === 'changed' && event.heal)).toHaveLength(rewrites - 1)
  expect(node.events).toContainEqual(
    expect.objectContaining({ type: 'contended', hint: expect.stringContaining('another program') }),
  )
  const before = performance.now()
  await stop()
  expect(performance.now() - before).toBeLessThan(1000)
})

test('own writes and irrelevant files start no pass', async () => {
  const { node, installer: mesh } = await installed()
  const count = node.events.length
  node.write('run/plugin.log', 'line')
  node.write('net/README', 'x')
  node.write('sa/token', 'tok.en')
  await installer({ ...node.options, observe: () => {} }).plan()
  await mesh.plan()
  expect(node.events.slice(count)).toEqual([])
})

test('new options take effect, and everything that only the old ones need is removed', async () => {
  const { node, installer } = await installed()
  installer.reconfigure({ ...node.options, plugin: { type: 'mesh', port: 2 }, mode: { owned: '02-mesh.conf' } })
  await eventually(() => node.read('net/10-calico.conflist') === calico, 'left')
  expect(node.read('net/02-mesh.conflist')).toContain('"port": 2')
  const { kubeconfig: _, ...without } = node.options
  installer.reconfigure(without)
  await eventually(() => node.files()['net/02-mesh.conflist'] === undefined, 'own file gone')
  await eventually(() => node.files()['run/kubeconfig'] === undefined, 'kubeconfig gone')
  expect(node.read('net/10-calico.conflist')).toContain('"port": 15001')
  expect(installer.status()).toMatchObject({ ready: true, primary: '10-calico.conflist' })
  expect(() => installer.reconfigure({ ...node.options, plugin: { type: 'other' } })).toThrow('it was mesh before')
})

test('uninstalling ends the loop, so that nothing is restored', async () => {
  const { node, installer } = await installed()
  await installer.uninstall()
  expect(node.read('net/10-calico.conflist')).toBe(calico)
  expect(node.files()['bin/mesh']).toBeUndefined()
})

test('with an aborted signal no pass runs', async () => {
  using node = fakeNode()
  await installer(node.options).run({ signal: AbortSignal.abort() })
  expect(node.read('net/10-calico.conflist')).toBe(calico)
  await expect(installer(node.options).install({ signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'ABORTED',
  })
})

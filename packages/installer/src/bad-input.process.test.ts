import { spawnSync } from 'node:child_process'
import fs, {
  chmodSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { formatDiff, type InstallerOptions, installer } from '@cni/installer'
import { expect, test } from 'vitest'
import { bridge, calico, eventually, type FakeNode, fakeNode, listOfBridge } from '../test/node.ts'
import { running } from '../test/running.ts'

test.each<[Partial<InstallerOptions>, string]>([
  [{ plugin: { type: '' } }, 'plugin type ""'],
  [{ plugin: { type: '../sh' } }, 'plugin type "../sh"'],
  [{ plugin: { type: 'mesh', n: Number.NaN } }, 'is not JSON'],
  [{ netDir: 'net.d' }, 'netDir "net.d" must be an absolute path'],
  [{ binDirs: ['bin'] }, 'must be an absolute path'],
  [{ confName: 'undetectable.file' }, 'must end in .conf, .conflist or .json'],
  [{ confName: '../x.conf' }, 'must be a file name'],
  [{ mode: { owned: 'x/y.conflist' } }, 'must be a file name'],
  [{ mode: { owned: '02.conf' }, confName: '02.conflist' }, 'is the owned file itself'],
  [{ kubeconfig: { path: '/k', tokenFile: '/t', server: 'a b' } }, 'must be a URL'],
  [{ recheckMs: -1 }, 'recheckMs -1'],
])('the options %j are rejected: %s', (options, message) => {
  using node = fakeNode()
  expect(() => installer({ ...node.options, ...options })).toThrow(message)
})

test.each<[string, (node: FakeNode) => void, string]>([
  ['empty', (node) => node.write('net/10-calico.conflist', ''), 'unexpected end of JSON'],
  ['binary', (node) => writeFileSync(node.path('net/10-calico.conflist'), Buffer.alloc(99, 255)), 'Unexpected token'],
  ['huge', (node) => truncateSync(node.path('net/10-calico.conflist'), 2 ** 33), 'larger than 4194304 bytes'],
  ['a folder', (node) => folder(node, 'net/10-calico.conflist'), 'is not a file'],
  ['a pipe', (node) => pipe(node, 'net/10-calico.conflist'), 'is not a file'],
  [
    'a device',
    (node) => swap(node, () => symlinkSync('/dev/zero', node.path('net/10-calico.conflist'))),
    'is not a file',
  ],
  ['a dangling link', (node) => swap(node, () => symlinkSync('gone', node.path('net/10-calico.conflist'))), 'dangling'],
  [
    'a link to itself',
    (node) => swap(node, () => symlinkSync('10-calico.conflist', node.path('net/10-calico.conflist'))),
    'ELOOP',
  ],
  [
    'two links to each other',
    (node) =>
      swap(node, () => {
        symlinkSync('other', node.path('net/10-calico.conflist'))
        symlinkSync('10-calico.conflist', node.path('net/other'))
      }),
    'ELOOP',
  ],
  ['64 MB of JSON', (node) => node.write('net/10-calico.conflist', padded(64)), 'larger than 4194304 bytes'],
  ['100 000 brackets', (node) => node.write('net/10-calico.conflist', '['.repeat(100_000)), ''],
])('for a conflist that is %s the installer waits, and does not change it', async (_, make, reason) => {
  using node = fakeNode()
  make(node)
  const mesh = installer(node.options)
  const status = await mesh.install()
  expect(status).toMatchObject({ ready: false, reason: expect.stringContaining(reason) })
  expect(node.events).toContainEqual(
    expect.objectContaining({ type: 'skipped', reason: expect.stringContaining(reason) }),
  )
  expect(await mesh.uninstall()).toMatchObject({ errors: [] })
})

const padded = (megabytes: number): string => calico.replace('{', `{"x":"${'x'.repeat(megabytes * 2 ** 20)}",`)

function swap(node: FakeNode, make: () => void): void {
  unlinkSync(node.path('net/10-calico.conflist'))
  make()
}

test('a conflist that is nested too deeply for runtimes is skipped', async () => {
  const deep = `{"name":"n","plugins":[{"type":"a"}],"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  using node = fakeNode({ '10-deep.conflist': deep, '20-calico.conflist': calico })
  expect(await installer(node.options).install()).toMatchObject({ ready: true, primary: '20-calico.conflist' })
  expect(node.events).toContainEqual(
    expect.objectContaining({ type: 'skipped', reason: 'nested deeper than 10000 levels' }),
  )
  expect(node.read('net/10-deep.conflist')).toBe(deep)
})

function pipe(node: FakeNode, name: string): void {
  rmSync(node.path(name), { force: true })
  spawnSync('mkfifo', [node.path(name)])
}

function folder(node: FakeNode, name: string): void {
  rmSync(node.path(name), { force: true })
  mkdirSync(node.path(name))
}

function file(node: FakeNode, name: string): void {
  rmSync(node.path(name), { recursive: true })
  node.write(name, '')
}

test.each<[string, (node: FakeNode) => void, Partial<InstallerOptions>, string]>([
  ['a missing token', (node) => rmSync(node.path('sa/token')), {}, 'NO_CREDENTIALS'],
  ['an empty token', (node) => node.write('sa/token', '\n'), {}, 'NO_CREDENTIALS'],
  ['a missing CA', (node) => rmSync(node.path('sa/ca.crt')), {}, 'NO_CREDENTIALS'],
  ['a missing source folder', (node) => rmSync(node.path('src'), { recursive: true }), {}, 'IO'],
  ['a source without the plugin', (node) => rmSync(node.path('src/mesh')), {}, 'NO_SOURCE'],
  ['a dangling source', (node) => symlinkSync('gone', node.path('src/x')), {}, 'IO'],
  ['a missing binary folder', (node) => rmSync(node.path('bin'), { recursive: true }), {}, 'IO'],
  ['a token that is a pipe', (node) => pipe(node, 'sa/token'), {}, 'NOT_READABLE'],
  ['a CA that is a folder', (node) => folder(node, 'sa/ca.crt'), {}, 'NOT_READABLE'],
  ['a kubeconfig that is a pipe', (node) => pipe(node, 'run/kubeconfig'), {}, 'NOT_READABLE'],
  ['a kubeconfig that is a folder', (node) => folder(node, 'run/kubeconfig'), {}, 'NOT_READABLE'],
  ['a plugin that is a pipe', (node) => pipe(node, 'src/mesh'), {}, 'NOT_READABLE'],
  ['a plugin that is a folder', (node) => folder(node, 'src/mesh'), {}, 'NO_SOURCE'],
  ['a binary folder that is a file', (node) => file(node, 'bin'), {}, 'IO'],
  ['a folder in place of the binary', (node) => mkdirSync(node.path('bin/mesh')), {}, 'NOT_OURS'],
  [
    'another program’s file under our name',
    (node) => node.write('net/mine.conf', bridge),
    { mode: 'standalone', confName: 'mine.conf' },
    'NOT_OURS',
  ],
  ['an owned name that sorts late', () => {}, { mode: { owned: '99-mesh.conflist' } }, 'NOT_FIRST'],
])('with %s the first installation fails, and the network does not change', async (_, damage, options, code) => {
  using node = fakeNode()
  damage(node)
  const mesh = installer({ ...node.options, ...options })
  await expect(mesh.install()).rejects.toMatchObject({ code })
  expect(node.events).toContainEqual(
    expect.objectContaining({ type: 'failed', attempt: 1, error: expect.objectContaining({ code }) }),
  )
  const files = node.files()
  expect(files['net/10-calico.conflist']).toBe(calico)
  expect(JSON.stringify(files)).not.toContain('"mesh"')
  expect(mesh.status()).toMatchObject({ ready: false })
})

test("an earlier run's entry is removed while the plugin cannot work, and added again when it can", async () => {
  const node = fakeNode()
  await installer(node.options).install()
  for (const name of ['bin/mesh', 'src/mesh']) rmSync(node.path(name))
  const { installer: mesh } = running(node)
  await eventually(() => node.read('net/10-calico.conflist') === calico, 'withdrawn')
  await eventually(() => node.events.some((event) => event.type === 'withdrawn'), 'told')
  node.write('src/mesh', 'plugin v1', 0o755)
  await eventually(() => mesh.status().ready, 'ready')
  expect(node.read('net/10-calico.conflist')).toContain('"mesh"')
})

test('an old binary that works keeps its entry if its update fails', async () => {
  using node = fakeNode()
  await installer(node.options).install()
  const installed = node.read('net/10-calico.conflist')
  rmSync(node.path('src'), { recursive: true })
  await expect(installer(node.options).install()).rejects.toMatchObject({ code: 'IO' })
  expect(node.read('net/10-calico.conflist')).toBe(installed)
})

test('a lasting failure is reported with growing pauses', async () => {
  const node = fakeNode()
  rmSync(node.path('sa/token'))
  const start = performance.now()
  running(node)
  for (let round = 0; round < 50; round += 1) {
    node.write('sa/other', `${round}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  const took = performance.now() - start
  const failures = node.events.filter((event) => event.type === 'failed')
  expect(failures).not.toEqual([])
  for (const [index, failure] of failures.entries()) {
    const retryMs = 1000 * 2 ** index
    expect(failure).toMatchObject({ artefact: 'kubeconfig', attempt: index + 1, retryMs })
    // On an idle machine the passes take a tenth of a second, and only the first failure is reported.
    expect(took).toBeGreaterThanOrEqual(retryMs - 1000)
  }
})

test('events, plans and errors contain no secrets', async () => {
  using node = fakeNode()
  node.write('sa/token', 'se.cr.et')
  node.write('run/kubeconfig', 'users:\n- user:\n    token: se.cr.et.old\n')
  const mesh = installer(node.options)
  const { changes } = await mesh.plan()
  await mesh.install()
  expect(changes.map(({ action, artefact }) => `${action} ${artefact}`)).toEqual([
    'create binary',
    'create binary',
    'replace kubeconfig',
    'replace conflist',
  ])
  expect(formatDiff(changes[2]?.diff ?? [])).toContain('    token: REDACTED')
  expect(JSON.stringify([changes, node.events])).not.toContain('se.cr')
  expect(node.read('run/kubeconfig')).toContain('token: se.cr.et\n')
})

test('a plan changes nothing, and is empty after the installation', async () => {
  using node = fakeNode({ '10-bridge.conf': bridge })
  const before = node.files()
  const mesh = installer(node.options)
  expect(await mesh.plan()).toMatchObject({ ready: false, primary: '10-bridge.conf' })
  expect(node.files()).toEqual(before)
  await mesh.install()
  expect(await mesh.plan()).toMatchObject({ ready: true, primary: '10-bridge.conflist', changes: [] })
})

test('the list of an earlier conversion is replaced if the single configuration appears again', async () => {
  using node = fakeNode({ '10-bridge.conf': bridge })
  await installer(node.options).install()
  node.write('net/10-bridge.conf', bridge.replace('"bridge":"bridge"', '"bridge":"cni9"'))
  await installer(node.options).install()
  const files = node.files()
  expect(files['net/10-bridge.conf']).toBeUndefined()
  expect(files['net/10-bridge.conflist']).toContain('"bridge":"cni9"')
  await installer(node.options).uninstall()
  expect(node.read('net/10-bridge.conflist')).toBe(listOfBridge.replace('"bridge":"bridge"', '"bridge":"cni9"'))
})

test('another program’s list with the name of the converted list is not overwritten', async () => {
  using node = fakeNode({ '10-net.conf': bridge, '10-net.conflist': calico })
  await expect(installer(node.options).install()).rejects.toMatchObject({ code: 'NOT_OURS' })
  expect([node.read('net/10-net.conf'), node.read('net/10-net.conflist')]).toEqual([bridge, calico])
})

test('an uninstallation that cannot remove the entry keeps the plugin working', async () => {
  using node = fakeNode()
  const mesh = installer(node.options)
  await mesh.install()
  const stuck = calico.replace('calico"', 'mesh"')
  node.write('net/05-stuck.conflist', stuck)
  const { errors, changes } = await withoutRenaming(node.path('net/05-stuck.conflist'), () => mesh.uninstall())
  expect(errors).toEqual([expect.objectContaining({ code: 'IO', errno: 'EROFS' })])
  expect(changes.map((change) => change.path)).toEqual([node.path('net/10-calico.conflist')])
  expect(node.read('bin/mesh')).toBe('plugin v1')
  expect(node.read('net/05-stuck.conflist')).toBe(stuck)
})

/** Runs a function while no file can be renamed to a path. */
async function withoutRenaming<T>(path: string, work: () => Promise<T>): Promise<T> {
  const real = fs.renameSync
  const set = (value: unknown): void => {
    Reflect.set(fs, 'renameSync', value)
    syncBuiltinESMExports()
  }
  set((from: string, to: string) => {
    if (to === path) throw Object.assign(new Error('EROFS: read-only file system, rename'), { code: 'EROFS' })
    real(from, to)
  })
  try {
    return await work()
  } finally {
    set(real)
  }
}

test('leftovers of interrupted runs are removed, other programs’ files are not', async () => {
  using node = fakeNode()
  const ours = [
    'bin/mesh.tmp.3816169537',
    'bin/.mesh.mesh-abc1.tmp',
    'net/.x.conflist.mesh-abc1.tmp',
    'run/.k.mesh-1.tmp',
  ]
  const others = ['bin/mesh.tmp.x1', 'bin/other.tmp.123', 'net/.x.conflist.other-abc1.tmp', 'net/x.tmp', 'run/mesh.log']
  for (const name of [...ours, ...others]) node.write(name, '')
  await installer(node.options).install()
  const left = Object.keys(node.files())
  expect(left.filter((name) => ours.includes(name))).toEqual([])
  expect(left.filter((name) => others.includes(name)).sort()).toEqual(others.toSorted())
})

test('another program’s file keeps its permissions and owner', async () => {
  using node = fakeNode()
  chmodSync(node.path('net/10-calico.conflist'), 0o640)
  await installer(node.options).install()
  expect(statSync(node.path('net/10-calico.conflist')).mode & 0o777).toBe(0o640)
  expect(statSync(node.path('run/kubeconfig')).mode & 0o777).toBe(0o600)
  expect(statSync(node.path('bin/mesh')).mode & 0o777).toBe(0o755)
})

test('an error of the observer does not stop the installation', async () => {
  using node = fakeNode()
  const observe = () => {
    throw new Error('log full')
  }
  expect(await installer({ ...node.options, observe }).install()).toMatchObject({ ready: true })
})

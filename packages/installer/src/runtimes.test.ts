import { mkdirSync } from 'node:fs'
import { type InstallEvent, installer } from '@cni/installer'
import { expect, test } from 'vitest'
import { bridge, calico, fakeNode } from '../test/node.ts'

const BROKEN = { '05-broken.conf': '{', '10-calico.conflist': calico }
const USES = 'uses 10-calico.conflist with mesh as plugin 2 of 2'
const STOPS = 'containerd loads no network while 05-broken.conf is broken: error parsing configuration'

const runtimesOf = (events: readonly InstallEvent[]) => events.filter((event) => event.type === 'runtimes')
const texts = (readings: readonly { readonly text: string }[] | undefined) => readings?.map(({ text }) => text)

test('the status has the behaviour of each runtime, and an event reports it once', async () => {
  using node = fakeNode()
  const mesh = installer(node.options)
  const status = await mesh.install()
  expect(status.ready).toBe(true)
  expect(texts(status.runtimes)).toEqual([`containerd ${USES}`, `CRI-O ${USES}`])
  await mesh.install()
  expect(runtimesOf(node.events)).toMatchObject([{ verdict: 'ok', readings: status.runtimes }])
})

test.each([
  [undefined, true, 'warn'],
  ['cri-o', true, 'ok'],
  ['containerd', false, 'fail'],
] as const)(
  'with a broken file before the network, a node with the runtime %s has ready: %s',
  async (runtime, ready, verdict) => {
    using node = fakeNode(BROKEN)
    const status = await installer({ ...node.options, runtime }).install()
    expect(status.ready).toBe(ready)
    if (!ready) expect(status.reason).toContain(`no pod gets mesh: ${STOPS}`)
    expect(status.runtimes).toMatchObject([
      { runs: 'no', text: expect.stringContaining(STOPS) },
      { runs: 'yes', text: `CRI-O ${USES}` },
    ])
    expect(runtimesOf(node.events)).toMatchObject([{ verdict }])
  },
)

test('an entry behind the first network is not ready, and ready once that network is gone', async () => {
  using node = fakeNode({ '05-site.json': bridge, '10-calico.conflist': calico })
  const mesh = installer({ ...node.options, confName: '10-calico.conflist' })
  const plan = await mesh.plan()
  expect(plan.ready).toBe(false)
  const status = await mesh.install()
  const reason = 'no pod gets mesh: containerd uses 05-site.json, and mesh is not in it; CRI-O uses'
  expect(status).toMatchObject({ ready: false, reason: expect.stringContaining(reason) })
  expect(await mesh.plan()).toMatchObject({ ready: false, reason: expect.stringContaining(reason), changes: [] })
  node.write('net/05-site.json', '{')
  expect(await mesh.install()).toMatchObject({ ready: true })
  expect(runtimesOf(node.events).map((event) => event.type === 'runtimes' && event.verdict)).toEqual(['fail', 'warn'])
})

test('a plan has the current and the later behaviour of the runtimes', async () => {
  using node = fakeNode({ '10-bridge.conf': bridge })
  const plan = await installer(node.options).plan()
  expect(texts(plan.runtimes)?.[0]).toBe('containerd uses 10-bridge.conf, and mesh is not in it')
  expect(texts(plan.runtimesAfter)?.[0]).toBe('containerd uses 10-bridge.conflist with mesh as plugin 2 of 2')
  expect(node.files()).toHaveProperty(['net/10-bridge.conf'], bridge)
})

test('Multus is converted to a list with the plugin at its end, and its copy of the plugin is listed', async () => {
  using node = fakeNode()
  const mesh = installer(node.options)
  await mesh.install()
  const delegates = [JSON.parse(node.read('net/10-calico.conflist'))]
  node.write('net/00-multus.conf', JSON.stringify({ name: 'multus', type: 'multus', delegates }))
  const twice = 'and Multus runs it a second time by plugins[0].delegates[0].plugins[1], which is harmless'
  const { ready, runtimes } = await mesh.install()
  expect(ready).toBe(true)
  expect(texts(runtimes)?.[1]).toBe(`CRI-O uses 00-multus.conflist with mesh as plugin 2 of 2, ${twice}`)
})

test.each([
  ['that has the plugin', true],
  ['that lacks it', false],
])('a plugin in the network of Multus is ready with a copy %s: %s', async (_, ready) => {
  using node = fakeNode()
  const mesh = installer({ ...node.options, confName: '10-calico.conflist' })
  await mesh.install()
  const copy = ready ? node.read('net/10-calico.conflist') : calico
  node.write('net/00-multus.conf', JSON.stringify({ name: 'multus', type: 'multus', delegates: [JSON.parse(copy)] }))
  const status = await mesh.install()
  expect(status.ready).toBe(ready)
  expect(node.events.some(({ type }) => type === 'preempted')).toBe(!ready)
  expect(status.runtimes?.[0]?.text).toContain(ready ? 'mesh is delegates[0].plugins[1]' : 'mesh is not in that copy')
})

test('a folder with the name of a configuration does not stop containerd', async () => {
  using node = fakeNode()
  mkdirSync(node.path('net/05-folder.conf'))
  const { runtimes } = await installer({ ...node.options, runtime: 'containerd' }).install()
  expect(runtimes?.[0]).toMatchObject({ runs: 'yes', primary: '10-calico.conflist' })
})

test('a plugin with its own file has no readings, because Multus calls it by name', async () => {
  using node = fakeNode()
  const status = await installer({ ...node.options, mode: 'standalone' }).install()
  expect(status).toMatchObject({ ready: true })
  expect(status.runtimes).toBeUndefined()
})

import { utimesSync } from 'node:fs'
import { installer } from '@cni/installer'
import { afterEach, expect, test, vi } from 'vitest'
import { bridge, calico, eventually, fakeNode, keepReverting, revert } from '../test/node.ts'
import { installed } from '../test/running.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

test('an incomplete configuration of another tool is neither used nor changed, and the complete one is healed', async () => {
  using node = fakeNode({ '10-calico.conflist': calico, '20-bridge.conf': bridge })
  const mesh = installer({ ...node.options, rewriteMs: 0, holdMs: 60_000 })
  await mesh.install()
  const installed = node.read('net/10-calico.conflist')
  // The text is complete even without its last newline.
  for (let length = 0; length < calico.length - 1; length += 1) {
    const part = calico.slice(0, length)
    node.write('net/10-calico.conflist', part)
    const status = await mesh.install()
    expect(status).toMatchObject({ ready: false, reason: expect.stringContaining('10-calico.conflist is not usable') })
    expect([node.read('net/10-calico.conflist'), node.read('net/20-bridge.conf')]).toEqual([part, bridge])
  }
  node.write('net/10-calico.conflist', calico)
  expect(await mesh.install()).toMatchObject({ ready: true, primary: '10-calico.conflist' })
  expect(node.read('net/10-calico.conflist')).toBe(installed)
})

test('an incomplete configuration on a new node is not changed', async () => {
  using node = fakeNode()
  for (let length = 0; length < calico.length - 1; length += 7) {
    node.write('net/10-calico.conflist', calico.slice(0, length))
    expect(await installer(node.options).install()).toMatchObject({ ready: false })
    expect(node.read('net/10-calico.conflist')).toBe(calico.slice(0, length))
  }
})

test.each([
  ['back', -5],
  ['forth', 5],
])('a clock that jumps %s by hours changes no waiting time', async (_, hours) => {
  const both = fakeNode({ '10-calico.conflist': calico, '20-bridge.conf': bridge })
  const { node } = await installed(both, { holdMs: 300, rewriteMs: 50 })
  const withEntry = node.read('net/10-calico.conflist')
  const now = Date.now.bind(Date)
  let jumps = 0
  vi.spyOn(Date, 'now').mockImplementation(() => now() + hours * 3_600_000 * (jumps++ % 2))
  const stamp = (name: string) => {
    const then = now() / 1000 + hours * 3600
    utimesSync(node.path(name), then, then)
  }

  // Heals: a text, and a binary of the same size and timestamps.
  node.write('net/10-calico.conflist', calico)
  stamp('net/10-calico.conflist')
  await eventually(() => node.read('net/10-calico.conflist') === withEntry, 'healed', 1000)
  node.write('bin/mesh', 'plugin vX')
  stamp('bin/mesh')
  await eventually(() => node.read('bin/mesh') === 'plugin v1', 'binary healed', 1000)

  // The rate limit of heals.
  const before = node.events.length
  await keepReverting(node, 500)
  const rewrites = node.events.slice(before).filter((event) => event.type === 'changed').length
  expect(rewrites).toBeGreaterThan(3)
  expect(rewrites).toBeLessThan(13)
  await eventually(() => node.read('net/10-calico.conflist') === withEntry, 'healed after the quarrel', 1000)

  // The wait for an incomplete primary.
  node.write('net/10-calico.conflist', '{')
  stamp('net/10-calico.conflist')
  const since = performance.now()
  await eventually(() => node.files()['net/20-bridge.conflist']?.includes('"mesh"') ?? false, 'adopted', 2000)
  expect(performance.now() - since).toBeGreaterThan(250)
})

test('the status reports another program that keeps reverting us, until it stops', async () => {
  const { node, installer } = await installed(undefined, { rewriteMs: 30 })
  const said = () => /another program writes network configurations/.test(installer.status().reason ?? '')
  await eventually(() => {
    revert(node)
    return said()
  }, 'said')
  await eventually(() => installer.status().ready, 'ready again', 1000)
  expect(node.read('net/10-calico.conflist')).toContain('"mesh"')
})

test('the sixth consecutive heal of a file is reported, then every fiftieth, with the likely program', async () => {
  using node = fakeNode()
  const mesh = installer({ ...node.options, rewriteMs: 0 })
  await mesh.install()
  const told = () => node.events.filter((event) => event.type === 'contended')
  for (let rewrites = 1; rewrites <= 60; rewrites += 1) {
    revert(node)
    await mesh.install()
    expect(told().map((event) => event.rewrites)).toEqual([6, 56].filter((each) => each <= rewrites))
  }
  expect(told()[0]).toMatchObject({
    path: node.path('net/10-calico.conflist'),
    hint: expect.stringMatching(/another program writes network configurations/),
  })
})

import { chmodSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { calico, eventually, type FakeNode, fakeNode } from '../test/node.ts'
import { installed } from '../test/running.ts'

const conflist = 'net/10-calico.conflist'
const modeOf = (node: FakeNode) => (statSync(node.path(conflist)).mode & 0o777).toString(8)
const changes = (node: FakeNode) =>
  node.events.flatMap((event) => (event.type === 'changed' && event.artefact === 'conflist' ? [event.action] : []))

test.each([
  ['0', '600'],
  ['40', '640'],
  ['200', '600'],
  ['4', '604'],
])(
  'a conflist of mode %s, unreadable for its owner, gets mode %s with our entry, and keeps it',
  async (mode, wanted) => {
    const node = fakeNode()
    chmodSync(node.path(conflist), Number.parseInt(mode, 8))
    const { installer } = await installed(node)
    expect(modeOf(node)).toBe(wanted)
    node.write(conflist, calico)
    await eventually(() => node.read(conflist).includes('"mesh"'), 'healed')
    await eventually(() => installer.status().ready, 'ready')
    expect([modeOf(node), ...changes(node)]).toEqual([wanted, 'replace', 'replace'])
  },
)

test.each(['0', '40', '200'])('a conflist whose mode becomes %s gets its earlier mode back, once', async (mode) => {
  const node = fakeNode()
  chmodSync(node.path(conflist), 0o644)
  const { installer } = await installed(node)
  chmodSync(node.path(conflist), Number.parseInt(mode, 8))
  await eventually(() => modeOf(node) === '644', 'healed')
  await eventually(() => installer.status().ready, 'ready')
  expect(changes(node)).toEqual(['replace', 'chmod'])
})

test.each(['0', '40', '200'])(
  'a conflist of mode %s that has our entry is made readable for its owner, once',
  async (mode) => {
    const { node, stop } = await installed()
    await stop()
    chmodSync(node.path(conflist), Number.parseInt(mode, 8))
    node.events.splice(0)
    const { installer } = await installed(node)
    await eventually(() => installer.status().ready, 'ready')
    expect([modeOf(node), ...changes(node)]).toEqual([mode === '40' ? '640' : '600', 'chmod'])
  },
)

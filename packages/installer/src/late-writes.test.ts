import { closeSync, ftruncateSync, openSync, readdirSync, writeSync } from 'node:fs'
import { installer } from '@cni/installer'
import { expect, onTestFinished, test } from 'vitest'
import { bridge, calico, eventually, type FakeNode, fakeNode } from '../test/node.ts'
import { installed } from '../test/running.ts'

const conflist = 'net/10-calico.conflist'
const changed = (version: string) => calico.replace('0.3.1', version)

/** Opens a file as another program that keeps its descriptor. Each write replaces the whole content. */
function openAt(node: FakeNode, name: string) {
  const fd = openSync(node.path(name), 'r+')
  onTestFinished(() => closeSync(fd))
  return (...parts: string[]) => {
    ftruncateSync(fd, 0)
    let at = 0
    for (const part of parts) at += writeSync(fd, part, at)
  }
}

test('writes of another program through its descriptor are kept after we have replaced its file', async () => {
  const { node, installer } = await installed()
  const write = openAt(node, conflist)
  for (const version of ['0.4.0', '1.0.0', '1.1.0']) {
    write(changed(version))
    await eventually(() => {
      const text = node.read(conflist)
      return text.includes(version) && text.includes('"mesh"')
    }, `the write of ${version}, with our entry`)
  }
  await eventually(() => installer.status().ready, 'ready')
  expect(node.events).toContainEqual(
    expect.objectContaining({ type: 'changed', reason: 'it was written to through a descriptor from before' }),
  )
})

test('an incomplete late write is not used until it is complete', async () => {
  const { node } = await installed()
  const write = openAt(node, conflist)
  write(calico)
  await eventually(() => node.read(conflist).includes('"mesh"'), 'healed')
  const whole = node.read(conflist)
  write(changed('0.4.0').slice(0, 40))
  // A change elsewhere and its effect prove that a pass has run.
  node.write('sa/token', 'second')
  await eventually(() => node.read('run/kubeconfig').includes('token: second'), 'a pass')
  expect(node.read(conflist)).toBe(whole)
  write(changed('0.4.0').slice(0, 40), changed('0.4.0').slice(40))
  await eventually(() => node.read(conflist).includes('0.4.0'), 'the rest')
})

test('a single configuration that is written after its conversion is converted again', async () => {
  const node = fakeNode({ '10-bridge.conf': bridge })
  const write = openAt(node, 'net/10-bridge.conf')
  await installed(node)
  write(bridge.replace('"bridge":"bridge"', '"bridge":"cni9"'))
  await eventually(() => node.read('net/10-bridge.conflist').includes('cni9'), 'the late write')
  await eventually(() => readdirSync(node.path('net')).join() === '10-bridge.conflist', 'one file')
  expect(node.read('net/10-bridge.conflist')).toContain('"mesh"')
})

test('a new file of another program has priority over late writes to the earlier one', async () => {
  using node = fakeNode()
  const write = openAt(node, conflist)
  const mesh = installer(node.options)
  await mesh.install()
  await installer({ ...node.options, observe: () => {}, plugin: { type: 'mesh', port: 2 } }).install()
  write(changed('0.4.0'))
  await mesh.install()
  expect(node.read(conflist)).not.toContain('0.4.0')
})

import fs, { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { installer } from '@cni/installer'
import { expect, onTestFinished, test } from 'vitest'
import { calico, eventually, fakeNode } from '../test/node.ts'
import { running } from '../test/running.ts'

/** Holds the copies of a file until the test releases them, as a slow disk does. */
function holdCopiesOf(name: string) {
  const real = fs.copyFile
  const held: (() => void)[] = []
  const copyFile = (...args: Parameters<typeof real>): void => {
    const go = (): void => real(...args)
    if (String(args[0]).endsWith(`/${name}`)) held.push(go)
    else go()
  }
  const set = (value: unknown): void => {
    Reflect.set(fs, 'copyFile', value)
    syncBuiltinESMExports()
  }
  set(copyFile)
  onTestFinished(() => set(real))
  return {
    isHeld: () => held.length > 0,
    release() {
      for (const go of held.splice(0)) go()
    },
  }
}

test('the configuration waits for the first copy, and nothing waits for later ones', async () => {
  const copies = holdCopiesOf('mesh')
  const { node, installer } = running()
  await eventually(() => copies.isHeld() && node.files()['run/kubeconfig'] !== undefined, 'the kubeconfig')
  await eventually(() => installer.status().reason?.includes('bin/mesh: absent; being put right') === true, 'said')
  expect(node.read('net/10-calico.conflist')).toBe(calico)
  copies.release()
  await eventually(() => installer.status().ready, 'ready')
  const installed = node.read('net/10-calico.conflist')
  expect(installed).toContain('"mesh"')

  node.write('src/mesh', 'plugin v2')
  await eventually(copies.isHeld, 'the update')
  node.write('net/10-calico.conflist', calico)
  await eventually(() => node.read('net/10-calico.conflist') === installed, 'the conflist')
  node.write('sa/token', 'second')
  await eventually(() => node.read('run/kubeconfig').includes('token: second\n'), 'the token')
  node.write('sa/ca.crt', 'CB')
  await eventually(() => node.read('run/kubeconfig').includes(Buffer.from('CB').toString('base64')), 'the CA')
  expect(node.read('bin/mesh')).toBe('plugin v1')
  expect(installer.status()).toMatchObject({ ready: false, reason: expect.stringContaining('content differs') })
  copies.release()
  await eventually(() => installer.status().ready, 'ready again')
  expect(node.read('bin/mesh')).toBe('plugin v2')
})

test('a stop and an uninstallation do not wait for a copy, and the copy is dropped at its end', async () => {
  const copies = holdCopiesOf('mesh')
  const { node, installer, stop } = running()
  await eventually(copies.isHeld, 'a copy')
  const since = performance.now()
  await stop()
  expect(await installer.uninstall()).toMatchObject({ errors: [] })
  expect(performance.now() - since).toBeLessThan(1000)
  copies.release()
  const names = () => Object.keys(node.files())
  await eventually(() => !names().some((name) => name.endsWith('.tmp')), 'swept')
  expect(names()).not.toContain('bin/mesh')
  expect(node.read('net/10-calico.conflist')).toBe(calico)
})

test('an uninstallation waits a moment for a running copy, and removes its temporary file', async () => {
  const copies = holdCopiesOf('mesh')
  const { node, installer, stop } = running()
  await eventually(copies.isHeld, 'a copy')
  await stop()
  const removal = installer.uninstall()
  setTimeout(() => copies.release(), 20)
  expect(await removal).toMatchObject({ errors: [] })
  expect(copies.isHeld()).toBe(false)
  expect(Object.keys(node.files()).filter((name) => name.endsWith('.tmp'))).toEqual([])
})

test('new options stop the copy of the old ones', async () => {
  const copies = holdCopiesOf('mesh')
  const { node, installer } = running()
  await eventually(copies.isHeld, 'a copy')
  const { sourceDir: _, ...without } = node.options
  installer.reconfigure(without)
  await eventually(() => installer.status().ready, 'ready')
  copies.release()
  await eventually(() => !Object.keys(node.files()).some((name) => name.endsWith('.tmp')), 'swept')
  expect(node.files()['bin/mesh']).toBeUndefined()
})

test('a large binary is not copied if it is equal, and copied if its last byte differs', async () => {
  using node = fakeNode()
  const size = 2 ** 20
  truncateSync(node.path('src/mesh'), size)
  copyFileSync(node.path('src/mesh'), node.path('bin/mesh'))
  const mesh = installer(node.options)
  await mesh.install()
  const changed = () => node.events.flatMap((event) => (event.type === 'changed' ? [event.path] : []))
  expect(changed()).not.toContain(node.path('bin/mesh'))
  truncateSync(node.path('bin/mesh'), size - 1)
  writeFileSync(node.path('bin/mesh'), 'x', { flag: 'a' })
  await mesh.install()
  expect(changed()).toContain(node.path('bin/mesh'))
  expect(readFileSync(node.path('bin/mesh')).at(-1)).toBe(0)
})

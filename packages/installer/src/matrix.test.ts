import type { InstallerOptions } from '@cni/installer'
import { expect, test } from 'vitest'
import { bridge, calico, eventually, fakeNode, listOfBridge } from '../test/node.ts'
import { installed, running } from '../test/running.ts'
import { conflistName } from './conf/conf-name.ts'
import { insertEntry, standaloneText } from './conf/entry.ts'

const noType = '{"name":"minikube","bridge":"bridge"}'
const notJson = 'this is not JSON\n'
const noName = calico.replace('"name"', '"nam"')
const noPlugins = calico.replace('"plugins"', '"plugns"')
const standalone: Partial<InstallerOptions> = { mode: 'standalone' }
const withConfName = (confName: string): Partial<InstallerOptions> => ({ confName })

test.each<[string, Record<string, string>, Partial<InstallerOptions>, string, string | undefined]>([
  ['1', { '00-calico.conflist': calico }, withConfName('00-calico.conflist'), '00-calico.conflist', calico],
  ['2', { '00-minikube.conf': bridge }, withConfName('00-minikube.conf'), '00-minikube.conflist', listOfBridge],
  ['3', { '00-calico.conflist': calico, '01-minikube.conf': bridge }, {}, '00-calico.conflist', calico],
  ['4', { '00-minikube.conf': bridge, '01-calico.conflist': calico }, {}, '00-minikube.conflist', listOfBridge],
  ['5', { '00-x.conf': notJson, '01-m.conf': bridge, '02-c.conflist': calico }, {}, '01-m.conflist', listOfBridge],
  ['6', { '00-x.conf': notJson, '01-c.conflist': calico, '02-m.conf': bridge }, {}, '01-c.conflist', calico],
  ['7', { '00-m.conf': noType, '01-m.conf': bridge, '02-c.conflist': calico }, {}, '01-m.conflist', listOfBridge],
  ['8', { '00-m.conf': noType, '01-c.conflist': calico, '02-m.conf': bridge }, {}, '01-c.conflist', calico],
  [
    '9',
    { '00-a.conflist': noName, '01-b.conflist': noPlugins, '02-m.conf': bridge },
    {},
    '02-m.conflist',
    listOfBridge,
  ],
  ['10', { '00-a.conflist': noName, '01-b.conflist': noPlugins, '02-c.conflist': calico }, {}, '02-c.conflist', calico],
  ['11', { '00-calico.conflist': calico }, withConfName('00-calico.conf'), '00-calico.conflist', calico],
  ['12', { '00-minikube.conf': bridge }, withConfName('00-minikube.conflist'), '00-minikube.conflist', listOfBridge],
  ['.json', { '05-site.json': bridge, '10-left.conflist': calico }, {}, '05-site.conflist', listOfBridge],
  ['15', {}, standalone, 'YYY-mesh.conf', undefined],
  ['16', {}, { ...standalone, confName: 'user-defined.conf' }, 'user-defined.conf', undefined],
])('row %s of the matrix: installed, restored after tampering, and removed', async (_, net, options, name, after) => {
  const { node, installer, stop } = await installed(fakeNode(net), options)
  const withEntry = node.read(`net/${name}`)
  const { plugin } = node.options
  expect(withEntry).toBe(after === undefined ? standaloneText(plugin, name) : insertEntry(after, plugin))
  node.write(`net/${name}`, after ?? '{}')
  await eventually(() => node.read(`net/${name}`) === withEntry, 'put back')
  await stop()
  expect(await installer.uninstall()).toMatchObject({ errors: [] })
  const files = node.files()
  expect(files[`net/${name}`]).toBe(after)
  expect(Object.keys(files).filter((one) => /tmp|kubeconfig|^bin\/mesh$/.test(one))).toEqual([])
  for (const [other, text] of Object.entries(net)) {
    if (conflistName(other) !== conflistName(name)) expect(files[`net/${other}`]).toBe(text)
  }
})

test.each([
  ['13', 'missing_initially.conf', { confName: 'missing_initially.conf' }, 'missing_initially.conflist'],
  ['14', 'calico.conflist', {}, 'calico.conflist'],
])('row %s of the matrix: the installer waits for %s', async (_, file, options, result) => {
  const { node, installer } = running(fakeNode({}), options)
  await eventually(() => installer.status().reason !== undefined, 'a first look')
  expect(installer.status()).toMatchObject({
    ready: false,
    artefacts: expect.arrayContaining([expect.objectContaining({ state: 'waiting' })]),
  })
  // A file that the operator names may also be a `.conf` that contains a list.
  node.write(`net/${file}`, calico)
  await eventually(() => installer.status().ready, 'ready')
  expect(node.read(`net/${result}`)).toBe(insertEntry(calico, node.options.plugin))
})

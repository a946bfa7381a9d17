import { fakeExec } from '@cni/invoke/testing'
import { openRtnl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { testPlugin } from '@cni/skel/testing'
import { expect, test } from 'vitest'
import { cableOf, plugin } from '../src/plugin.ts'
import { conf, seen, tamper } from './given.ts'

/** An IPAM plugin as a function: always the same address for each family. */
const hostLocal = {
  VERSION: { cniVersion: '1.1.0', supportedVersions: ['1.0.0', '1.1.0'] },
  ADD: {
    cniVersion: '1.1.0',
    ips: [
      { address: '10.42.0.5/24', gateway: '10.42.0.1' },
      { address: 'fd42::5/64', gateway: 'fd42::1' },
    ],
  },
}

test('ADD connects the pod, CHECK finds missing parts, DEL removes everything: between two namespaces', async () => {
  await using node = await tempNetns()
  await using pod = await tempNetns()
  const exec = fakeExec({ 'host-local': hostLocal })
  const tester = testPlugin(plugin({ node, delegates: { exec } }), {
    netns: pod,
    containerID: 'web',
    path: ['/opt/cni/bin'],
    conf: { ...conf, name: 'pods', ipam: { type: 'host-local' } },
  })
  const cable = cableOf({ networkName: 'pods', containerID: 'web', ifName: 'eth0' })

  const { exitCode, result } = await tester.add()
  expect(exitCode).toBe(0)
  expect(result?.ips?.map(({ address }) => address)).toEqual(['10.42.0.5/32', 'fd42::5/128'])
  expect(await tester.check({ prevResult: result })).toMatchObject({ exitCode: 0 })
  await tamper(pod)
  expect(await tester.check({ prevResult: result })).toMatchObject({ error: { code: 100 } })

  using onNode = await openRtnl(node)
  await onNode.setLinkDown(cable)
  expect((await tester.check({ prevResult: result })).error?.msg).toContain('is down')
  for (let time = 1; time <= 2; time++) expect(await tester.del()).toMatchObject({ exitCode: 0 })
  expect(await onNode.getLink(cable)).toBeUndefined()
  expect(exec.calls.map(({ command }) => command)).toContain('DEL')
})

test('GC removes the cable of a pod that is gone, and calls DEL of an IPAM plugin without GC', async () => {
  await using node = await tempNetns()
  await using pod = await tempNetns()
  const old = { cniVersion: '1.0.0', supportedVersions: ['1.0.0'] }
  const exec = fakeExec({
    'host-local': { ...hostLocal, VERSION: old, ADD: { ...hostLocal.ADD, cniVersion: '1.0.0' } },
  })
  const tester = testPlugin(plugin({ node, delegates: { exec } }), {
    netns: pod,
    containerID: 'web',
    path: ['/opt/cni/bin'],
    conf: { ...conf, name: 'pods', ipam: { type: 'host-local' } },
  })
  expect(await tester.add()).toMatchObject({ exitCode: 0 })
  expect(await tester.gc({ validAttachments: [] })).toMatchObject({ exitCode: 0 })
  using onNode = await openRtnl(node)
  expect(await onNode.getLink(cableOf({ networkName: 'pods', containerID: 'web', ifName: 'eth0' }))).toBeUndefined()
  const last = exec.calls.at(-1)
  expect([last?.command, last?.env.CNI_CONTAINERID]).toEqual(['DEL', 'web'])
})

test('DEL of one of two attachments keeps the rules that the other needs', async () => {
  await using node = await tempNetns()
  await using pod = await tempNetns()
  const exec = fakeExec({ 'host-local': hostLocal })
  const tester = testPlugin(plugin({ node, delegates: { exec } }), {
    netns: pod,
    path: ['/opt/cni/bin'],
    conf: { ...conf, name: 'pods', ipam: { type: 'host-local' } },
  })
  expect(await tester.add()).toMatchObject({ exitCode: 0 })
  const rules = await seen(pod)
  await tester.del({ ifName: 'net1' })
  expect(await seen(pod)).toEqual(rules)
  await tester.del()
  expect(await seen(pod)).toEqual([])
})

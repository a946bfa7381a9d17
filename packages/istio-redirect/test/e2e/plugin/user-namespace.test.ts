import { readFileSync } from 'node:fs'
import { netns } from '@cni/netns'
import { ownedNetns } from '@cni/netns/testing'
import { expect, test } from 'vitest'
import { RUNTIMES } from '../../stage/executables.ts'
import { testBed } from './pod.ts'

test.each(RUNTIMES)('%s redirects a pod with a user namespace of its own', async (_, plugin) => {
  await using bed = await testBed(plugin)
  await using pod = await ownedNetns()
  const attachment = { ...bed.attachment, netns: pod.path }
  const { runtime, conflist } = bed.node
  await runtime.add(conflist, attachment)
  const { stdout } = await netns.exec(pod, ['iptables-save'])
  expect(stdout).toContain('-A ISTIO_OUTPUT -m owner --uid-owner 1337 -j RETURN')
  expect(readFileSync(`${bed.node.runDir}/istio-cni.log`, 'utf8')).not.toContain('"level":"warn"')
  await runtime.check(conflist, attachment)
  await runtime.del(conflist, attachment)
  expect((await netns.exec(pod, ['iptables-save'])).stdout).not.toContain('ISTIO')
})

test.each(RUNTIMES)('%s redirects such a pod natively, without nsenter', async (_, plugin) => {
  await using bed = await testBed(plugin, { conf: { native_nftables: true } })
  await using pod = await ownedNetns()
  const attachment = { ...bed.attachment, netns: pod.path }
  const { runtime, conflist } = bed.node
  const listed = async () => (await netns.exec(pod, ['nft', 'list', 'tables'])).stdout
  await runtime.add(conflist, attachment)
  expect(await listed()).toBe('table inet istio-proxy-nat\n')
  await runtime.check(conflist, attachment)
  await runtime.del(conflist, attachment)
  expect(await listed()).toBe('')
})

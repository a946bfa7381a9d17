import { attachFilter, ebpf } from '@cni/ebpf'
import { openRtnl } from '@cni/netns'
import { expect, test } from 'vitest'
import { mode } from '../../../../istio-rules/test/ambient-pods.ts'
import { eventually } from '../../stage/agent-node.ts'
import { COMPILED } from '../../stage/executables.ts'
import { connect, nodeLevelNode } from './node-level-node.ts'

const uid = (last: number): string => `66efbedd-5af0-4fb0-b896-00000000000${last}`

test('by eBPF pods join by plugin and by label, ztunnels take over, foreign filters stay, and nothing is left', {
  timeout: 120_000,
}, async () => {
  await using on = await nodeLevelNode(COMPILED, 'node-ebpf')
  const { api } = on
  const old = await on.ztunnel('ztunnel-a', uid(1), 1)
  const fresh = await on.ztunnel('ztunnel-b', uid(2), 2)
  const server = await on.pod({ namespace: 'plain', name: 'server', uid: uid(3) })
  const later = await on.pod({ namespace: 'plain', name: 'later', uid: uid(4) })
  await on.app(server, 'server')
  using rtnl = await openRtnl(on.node)
  // The program returns TC_ACT_UNSPEC: the kernel continues with the next filter.
  const instructions = Buffer.from('b7000000ffffffff9500000000000000', 'hex')
  using foreign = ebpf().load({ name: 'foreign', instructions, license: 'Apache-2.0' })
  const link = await on.linkOf(later)
  await attachFilter(rtnl, { link, direction: 'ingress', program: foreign, priority: 5 })
  const before = await on.traces()

  let agent = await on.start()
  const log = () => agent.log()
  expect(log()).toContain('for IPv4 only: IPv6 traffic of pods is not in the mesh')
  await expect(on.pod({ namespace: 'shop', name: 'early', uid: uid(5) })).rejects.toThrow('no ztunnel has been ready')
  old.ready(true)
  await eventually(() => on.shared().ztunnelReady, log)
  expect(on.shared()).toMatchObject({ redirectMode: 'ebpf' })
  const web = await on.pod({ namespace: 'shop', name: 'web', uid: uid(6), saysUid: true })
  expect([web.annotation(), later.annotation()]).toEqual(['enabled', undefined])
  expect(await connect(web, server)).toEqual([`server saw ${web.ip}`])
  expect(old.ztunnel.forwarded).toMatchObject([{ direction: 'outbound' }])
  expect(await connect(later, server)).toEqual([`server saw ${later.ip}`])
  expect(old.ztunnel.forwarded).toHaveLength(1)
  api.setNamespace('plain', { [mode]: 'ambient' })
  await eventually(() => later.annotation() === 'enabled' && server.annotation() === 'enabled', log)
  expect(await connect(later, server)).toEqual([`server saw ${later.ip}`])
  expect(old.ztunnel.forwarded).toHaveLength(2)
  expect(await on.status()).toMatchObject({
    enrolled: 3,
    nodeLevel: { mode: 'node-ebpf', ztunnel: 'istio-system/ztunnel-a' },
  })
  const { stdout: screen } = await on.agents.command('status')
  expect(screen).toContain('redirected on the node (node-ebpf, experimental, IPv4 only')
  expect(screen).toContain('IPv6 traffic of pods is not in the mesh')
  expect((await on.programs()).filters).toEqual(
    [
      ...Array.from({ length: 3 }, () => ['app_inbound', 'app_outbound']).flat(),
      'foreign',
      'ztunnel_host_ingress',
    ].toSorted(),
  )

  // A ztunnel takes over while a pod connects: each connection passes through one of the two ztunnels.
  const running = connect(web, server, 100)
  await eventually(() => old.ztunnel.forwarded.length > 5, log)
  fresh.ready(true)
  await eventually(() => fresh.ztunnel.forwarded.length > 0, log)
  await eventually(async () => (await on.status()).nodeLevel.ztunnel === 'istio-system/ztunnel-b', log)
  const answered = (await running).filter((each) => each === `server saw ${web.ip}`).length
  expect(answered).toBeGreaterThan(80)
  expect(old.ztunnel.forwarded.length + fresh.ztunnel.forwarded.length).toBeGreaterThanOrEqual(2 + answered)
  await old.kill()
  expect(await connect(web, server)).toEqual([`server saw ${web.ip}`])

  // Pins and programs work while no agent runs.
  api.setDaemonSet('istio-system', 'istio-cni-node', {})
  agent.kill('SIGTERM')
  expect(await agent.exit).toEqual({ code: 0, signal: null })
  expect((await on.programs()).pins).toContain('ambient/app_outbound')
  expect(await connect(web, server)).toEqual([`server saw ${web.ip}`])
  agent = await on.start()
  await eventually(async () => (await on.status()).enrolled === 3, log)
  expect(await connect(web, server)).toEqual([`server saw ${web.ip}`])

  api.setDaemonSet('istio-system', 'istio-cni-node')
  agent.kill('SIGTERM')
  expect(await agent.exit).toEqual({ code: 0, signal: null })
  expect([web.annotation(), later.annotation()]).toEqual([undefined, undefined])
  expect(() => on.shared()).toThrow('ENOENT')
  expect(await on.programs()).toEqual({ pins: [], filters: ['foreign'] })
  expect(await connect(web, server)).toEqual([`server saw ${web.ip}`])
  const left = (text: string): string[] => text.split('\n').filter((line) => /ztunnel|istio(in|out)|^20000:/.test(line))
  expect(left(await on.traces())).toEqual(left(before))
})

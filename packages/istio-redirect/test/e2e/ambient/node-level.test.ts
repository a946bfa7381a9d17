import { expect, test } from 'vitest'
import { mode } from '../../../../istio-rules/test/ambient-pods.ts'
import { eventually } from '../../stage/agent-node.ts'
import { COMPILED } from '../../stage/executables.ts'
import { connect, nodeLevelNode } from './node-level-node.ts'

const uid = (last: number): string => `55efbedd-5af0-4fb0-b896-00000000000${last}`

test('on a ptp network pods join by plugin and by label while ztunnels and agents restart, and nothing is left', {
  timeout: 120_000,
}, async () => {
  await using on = await nodeLevelNode(COMPILED)
  const { api } = on
  const old = await on.ztunnel('ztunnel-a', uid(1), 1)
  const fresh = await on.ztunnel('ztunnel-b', uid(2), 2)
  const server = await on.pod({ namespace: 'plain', name: 'server', uid: uid(3) })
  const later = await on.pod({ namespace: 'plain', name: 'later', uid: uid(4) })
  await on.app(server, 'server')
  const before = await on.traces()
  let agent = await on.start()
  const log = () => agent.log()
  // Mesh pods are refused until there is a ztunnel.
  await expect(on.pod({ namespace: 'shop', name: 'early', uid: uid(5) })).rejects.toThrow('no ztunnel has been ready')
  old.ready(true)
  await eventually(() => on.shared().ztunnelReady, log)
  const web = await on.pod({ namespace: 'shop', name: 'web', uid: uid(6) })
  const told = await on.pod({ namespace: 'shop', name: 'told', uid: uid(7), saysUid: true })
  expect([web.annotation(), told.annotation(), later.annotation()]).toEqual(['enabled', 'enabled', undefined])
  expect(await connect(web, server)).toEqual([`server saw ${web.ip}`])
  expect(old.ztunnel.forwarded).toMatchObject([{ direction: 'outbound' }])
  expect(await connect(later, server)).toEqual([`server saw ${later.ip}`])
  expect(old.ztunnel.forwarded).toHaveLength(1)
  api.setNamespace('plain', { [mode]: 'ambient' })
  await eventually(() => later.annotation() === 'enabled', log)
  expect(await connect(later, server)).toEqual([`server saw ${later.ip}`])
  expect(old.ztunnel.forwarded).toHaveLength(2)
  expect(await on.status()).toMatchObject({
    enrolled: 4,
    nodeLevel: { mode: 'node-iptables', hostIp: '10.61.0.1', ztunnel: 'istio-system/ztunnel-a' },
  })

  fresh.ready(true)
  await eventually(async () => (await on.status()).nodeLevel.ztunnel === 'istio-system/ztunnel-b', log)
  await old.kill()
  expect(await connect(web, server)).toEqual([`server saw ${web.ip}`])
  expect(fresh.ztunnel.forwarded).toHaveLength(1)

  api.setDaemonSet('istio-system', 'istio-cni-node', {})
  agent.kill('SIGTERM')
  expect(await agent.exit).toEqual({ code: 0, signal: null })
  expect(await connect(web, server)).toEqual([`server saw ${web.ip}`])
  agent = await on.start()
  expect(await connect(web, server)).toEqual([`server saw ${web.ip}`])
  await eventually(async () => (await on.status()).enrolled === 4, log)

  await fresh.kill()
  await eventually(() => !on.shared().ztunnelReady, log)
  expect(await connect(web, server)).not.toEqual([expect.stringContaining('server saw')])
  expect(web.annotation()).toBe('enabled')

  api.setDaemonSet('istio-system', 'istio-cni-node')
  agent.kill('SIGTERM')
  expect(await agent.exit).toEqual({ code: 0, signal: null })
  expect([web.annotation(), later.annotation()]).toEqual([undefined, undefined])
  expect(() => on.shared()).toThrow('ENOENT')
  expect(await connect(web, server)).toEqual([`server saw ${web.ip}`])
  const left = (text: string): string[] =>
    text.split('\n').filter((line) => /ztunnel|istio(in|out)|192\.168\.12[67]|^10[0-3]:/.test(line))
  expect(left(before)).toEqual([])
  expect(left(await on.traces())).toEqual([])
})

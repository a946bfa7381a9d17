import { describe, expect, test } from 'vitest'
import { holdConnection, startEcho } from '../../../packages/istio-node-level/test/ebpf/held-connection.ts'
import { annotated, pollOptions } from '../../../packages/istio-redirect/test/ambient/served-node.ts'
import { reached } from '../../../packages/istio-redirect/test/stage/reached.ts'
import { peer } from '../peers.ts'
import { answers, type ZtunnelMesh, ztunnelMesh } from './ztunnel-mesh.ts'

const { file, missing } = peer('ztunnel')

/** Expects that mesh pods reach each other. */
const works = async ({ web, shop }: ZtunnelMesh): Promise<void> =>
  expect(await reached(web.netns, shop.addresses)).toEqual(answers('shop', web.addresses))

describe.runIf(missing === undefined)(`a real ztunnel${missing ? ` (skipped: ${missing})` : ''}`, () => {
  test.each([
    ['SIGTERM', 'stop', 0],
    ['SIGKILL', 'kill', 137],
  ] as const)(
    'ended by %s interrupts traffic, and the next one gets all pods and restores it',
    async (_, how, code) => {
      await using mesh = await ztunnelMesh(file)
      const { agent, web, shop, plain } = mesh
      const first = await mesh.ztunnel()
      await mesh.enrol()
      await works(mesh)
      expect(await first[how]()).toBe(code)
      await expect.poll(() => agent.status().ztunnels, pollOptions).toBe(0)
      const refused = shop.addresses.map((address) => `connect ECONNREFUSED ${address}:8080`)
      expect(await reached(web.netns, shop.addresses)).toEqual(refused)
      expect(agent.status()).toMatchObject({ enrolled: 2, pending: 0 })
      const second = await mesh.ztunnel()
      expect(await second.pods()).toEqual([web.uid, shop.uid].toSorted())
      await works(mesh)
      expect(await reached(plain.netns, web.addresses)).toEqual(answers('web', plain.addresses))
    },
  )

  test('reports that it is not ready without an agent, and keeps serving; the next agent sends all pods', async () => {
    await using mesh = await ztunnelMesh(file)
    const { node, agent, web, shop } = mesh
    const ztunnel = await mesh.ztunnel()
    await mesh.enrol()
    await using _echo = await startEcho(shop.netns, 9090)
    await using held = holdConnection(web.netns, shop.addresses[0] ?? '', 9090)
    const said = `${web.addresses[0]} said`
    expect(await held.say('before')).toBe(`${said} before`)
    await agent.stop('followed')
    await expect.poll(() => ztunnel.ready(), pollOptions).toBe(false)
    expect(await held.say('meanwhile')).toBe(`${said} meanwhile`)
    await works(mesh)
    const next = await node.start()
    await expect.poll(() => ztunnel.ready(), pollOptions).toBe(true)
    expect(await ztunnel.pods()).toEqual([web.uid, shop.uid].toSorted())
    expect(await held.say('after')).toBe(`${said} after`)
    await works(mesh)
    expect(next.status()).toMatchObject({ enrolled: 2, pending: 0, ztunnels: 1 })
  })

  test('serves every new connection after a takeover from another, and open connections continue', async () => {
    await using mesh = await ztunnelMesh(file)
    const { node, agent, web, shop } = mesh
    const older = await mesh.ztunnel()
    await mesh.enrol()
    await using _echo = await startEcho(shop.netns, 9090)
    await using held = holdConnection(web.netns, shop.addresses[0] ?? '', 9090)
    const said = `${web.addresses[0]} said`
    expect(await held.say('before')).toBe(`${said} before`)
    const newer = await mesh.ztunnel()
    expect(agent.status().ztunnels).toBe(2)
    expect(await held.say('meanwhile')).toBe(`${said} meanwhile`)
    const late = await node.pod({ name: 'late' })
    await annotated(late, 'enabled')
    expect(await older.pods()).toEqual([web.uid, shop.uid].toSorted())
    expect(await newer.pods()).toEqual([web.uid, shop.uid, late.uid].toSorted())

    const ended = older.stop()
    await expect.poll(() => agent.status().ztunnels, pollOptions).toBe(1)
    expect(await held.say('while it ends')).toBe(`${said} while it ends`)
    for (let round = 0; round < 10; round++) await works(mesh)
    expect(await ended).toBe(0)
    await works(mesh)
    expect(agent.status()).toMatchObject({ enrolled: 3, pending: 0 })
  })
})

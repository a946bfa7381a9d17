import { describe, expect, test } from 'vitest'
import { holdConnection, startEcho } from '../../../packages/istio-node-level/test/ebpf/held-connection.ts'
import { startApp } from '../../../packages/istio-redirect/src/testing/node/stand-ins.ts'
import { pollOptions } from '../../../packages/istio-redirect/test/ambient/served-node.ts'
import { ambientNode, uid } from '../../../packages/istio-redirect/test/e2e/ambient/ambient-node.ts'
import { reached } from '../../../packages/istio-redirect/test/stage/reached.ts'
import { peer } from '../peers.ts'
import { answers, meshOf } from './ztunnel-mesh.ts'
import { startZtunnelProcess } from './ztunnel-process.ts'

const { file, missing } = peer('ztunnel')

describe.runIf(missing === undefined)(`a real ztunnel${missing ? ` (skipped: ${missing})` : ''}`, () => {
  test('serves the pods of a killed agent and of the next one without an interruption', async () => {
    await using on = await ambientNode()
    const path = on.ztunnelSocket
    const first = await on.start()
    const started = async (mesh?: string) => {
      const ztunnel = await startZtunnelProcess({ file, path, ...(mesh !== undefined && { mesh }) })
      await expect.poll(() => ztunnel.ready(), pollOptions).toBe(true)
      return ztunnel
    }
    await using early = await started()
    const { result } = await on.add()
    const web = { netns: on.bed.pod, addresses: (result.ips ?? []).map(({ address }) => address.split('/')[0] ?? '') }
    const shop = await on.addAnother('shop')
    await using _app = await startApp(shop.netns, { name: 'shop', ports: [8080] })
    await using _echo = await startEcho(shop.netns, 9090)
    expect(await early.stop()).toBe(0)
    // The addresses of pods are known only now.
    const inMesh = { namespace: 'demo', isInMesh: true }
    await using ztunnel = await started(
      meshOf([
        { ...inMesh, name: 'web', addresses: web.addresses },
        { ...inMesh, name: 'shop', addresses: shop.addresses },
      ]),
    )
    const both = [uid, shop.uid].toSorted()
    expect(await ztunnel.pods()).toEqual(both)
    expect(await reached(web.netns, shop.addresses)).toEqual(answers('shop', web.addresses))
    const rounds = 10
    const manyTimes = <T>(each: readonly T[]): T[] => Array.from({ length: rounds }, () => each).flat()
    const visits = () => reached(web.netns, manyTimes(shop.addresses))
    const welcome = manyTimes(answers('shop', web.addresses))
    await using held = holdConnection(web.netns, shop.addresses[0] ?? '', 9090)
    const said = `${web.addresses[0]} said`
    expect(await held.say('before')).toBe(`${said} before`)

    const during = visits()
    first.kill('SIGKILL')
    expect(await first.exit).toEqual({ code: null, signal: 'SIGKILL' })
    expect(await during).toEqual(welcome)
    await expect.poll(() => ztunnel.ready(), pollOptions).toBe(false)
    expect(await held.say('meanwhile')).toBe(`${said} meanwhile`)
    expect(await visits()).toEqual(welcome)

    const after = visits()
    await on.start()
    expect(await after).toEqual(welcome)
    await expect.poll(() => ztunnel.ready(), pollOptions).toBe(true)
    expect(await ztunnel.pods()).toEqual(both)
    expect(await held.say('after')).toBe(`${said} after`)
    expect(await visits()).toEqual(welcome)
    expect(await on.status()).toMatchObject({ enrolled: 2, pending: 0, ztunnels: 1 })
    await expect
      .poll(() => ztunnel.connections(), pollOptions)
      .toEqual({
        'source web to shop with mutual_tls': 8 * rounds + 3,
        'destination web to shop with mutual_tls': 8 * rounds + 3,
      })
  })
})

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  startTransparentZtunnel,
  type TransparentZtunnel,
} from '../../../istio-redirect/src/testing/node/ztunnel/transparent-ztunnel.ts'
import type { OpenEbpfSide } from '../../src/ebpf/open-ebpf-side.ts'
import type { NodeZtunnel } from '../../src/kernel-side.ts'
import { dropReasons } from '../../src/programs/reasons.ts'
import { addresses, type Name, startServers } from '../ptp-node.ts'
import { answerOf } from '../sockets.ts'
import { type EbpfNode, ebpfNode } from './ebpf-node.ts'
import { type HeldConnection, holdConnection, startEcho } from './held-connection.ts'

const ECHO = 7007
const NEXT = '10.60.0.6'

describe.each([
  ['ptp', 'tproxy'],
  ['ptp', 'mark'],
  ['bridge', 'tproxy'],
  ['bridge', 'mark'],
] as const)('a ztunnel is replaced while connections are open (%s, by %s):', (network, variant) => {
  let on: EbpfNode
  let side: OpenEbpfSide
  let [old, next]: [TransparentZtunnel | undefined, TransparentZtunnel | undefined] = [undefined, undefined]
  let successor: NodeZtunnel
  let held: readonly (readonly [said: string, connection: HeldConnection])[]

  beforeEach(async () => {
    on = await ebpfNode(network)
    const { node, stack } = on
    for (const name of ['app', 'srv', 'far'] as const) stack.use(await startEcho(node.at[name], ECHO))
    stack.use(startServers(node, [8080]))
    old = stack.use(startTransparentZtunnel(node.at.zt))
    successor = { ...node.ztunnel, uid: 'zt-2', ip: NEXT, netns: await node.pod('zt2', NEXT), dnsCapture: false }
    next = stack.use(startTransparentZtunnel(successor.netns))
    side = on.newSide(variant)
    await side.start({ ...node.ztunnel, dnsCapture: false })
    await side.addPod(on.podOf('app'))
    const hold = (from: Name, to: Name): [string, HeldConnection] => [
      `${addresses[from]} said`,
      stack.use(holdConnection(node.at[from], addresses[to], ECHO)),
    ]
    held = [hold('app', 'srv'), hold('app', 'far'), hold('srv', 'app'), hold('far', 'app')]
    expect(await answers('before')).toEqual(all('before'))
    expect(old.forwarded.length).toBe(held.length)
  }, 30_000)
  afterEach(async () => {
    await side.stop()
    await on[Symbol.asyncDispose]()
  })

  const answers = (word: string): Promise<string[]> => Promise.all(held.map(([, each]) => each.say(word)))
  const all = (word: string): string[] => held.map(([said]) => `${said} ${word}`)
  const connects = async (from: Name, to: Name): Promise<string> => {
    const answer = await answerOf(on.node.at[from], addresses[to], 8080)
    return /^(\S+) saw /.exec(answer)?.[1] ?? 'nobody'
  }

  test('they stay with the old ztunnel until it ends, and new connections go to the new ztunnel', async () => {
    expect((await side.start(successor)).warnings).toEqual([])
    expect(await answers('after')).toEqual(all('after'))
    expect([await connects('app', 'srv'), await connects('srv', 'app')]).toEqual(['srv', 'app'])
    expect([old?.forwarded.length, next?.forwarded.length]).toEqual([held.length, 2])
    // A dropped packet would mean a connection that hangs.
    expect(side.objects.maps.drops.values()).toEqual(dropReasons.map(() => 0n))
    expect([await side.drift(), await answers('later')]).toEqual([[], all('later')])
    await old?.stop()
    expect(await answers('at last')).toEqual(held.map(() => 'the end'))
    expect(await connects('app', 'srv')).toBe('srv')
    expect(next?.forwarded.length).toBe(3)
  })

  test('they stay with the old ztunnel when an agent restarts', async () => {
    side[Symbol.dispose]()
    side = on.newSide(variant)
    await side.start(successor)
    expect(await answers('after')).toEqual(all('after'))
    await side.addPod(on.podOf('app'))
    side[Symbol.dispose]()
    side = on.newSide(variant)
    expect(await side.start(successor)).toEqual({ changed: [], warnings: [] })
    expect(await answers('again')).toEqual(all('again'))
    expect(await connects('app', 'srv')).toBe('srv')
  })

  test('they continue while no ztunnel is ready, new connections are dropped, and the next ready ztunnel gets all', async () => {
    expect((await side.pause()).changed).not.toEqual([])
    expect((await side.pause()).changed).toEqual([])
    expect(await answers('paused')).toEqual(all('paused'))
    expect([await connects('app', 'srv'), await side.drift()]).toEqual(['nobody', []])
    expect(side.objects.maps.drops.get(dropReasons.indexOf('no_ztunnel_out'))).toBeGreaterThan(0n)
    expect(await side.heal()).toEqual({ changed: [], warnings: [] })
    await side.start({ ...on.node.ztunnel, dnsCapture: false })
    expect([await connects('app', 'srv'), await side.drift()]).toEqual(['srv', []])
    expect(old?.forwarded.length).toBe(held.length + 1)
    await side.pause()
    await side.start(successor)
    expect([await connects('app', 'srv'), await side.drift()]).toEqual(['srv', []])
    expect(await answers('at last')).toEqual(all('at last'))
  })
})

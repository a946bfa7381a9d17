import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { meshPod } from '../../src/testing/pods.ts'
import { type Fixture, fixture, prevResult } from './fixture.ts'

let node: Fixture
beforeEach(async () => {
  node = await fixture(meshPod(dualStack))
  await node.inside('ip', 'link', 'add', 'eth0', 'type', 'bridge')
  await node.inside('ip', 'link', 'set', 'eth0', 'up')
})
afterEach(() => node[Symbol.asyncDispose]())

const dualStack = { proxy: { env: [{ name: 'ISTIO_DUAL_STACK', value: 'true' }] } }
const IPV4 = '10.1.2.3/24'
const IPV6 = 'fd00::5/64'
/** Adds an address to the pod that no result has, as after a router advertisement. */
const own = (address: string) => node.inside('ip', 'address', 'add', address, 'dev', 'eth0', 'nodad')
const off = (link: string, value = 1) => node.inside('sysctl', '-qw', `net.ipv6.conf.${link}.disable_ipv6=${value}`)
const told = (...addresses: string[]) => ({ conf: { prevResult: prevResult(...addresses) } })

/** The families that have rules. CHECK has to agree. */
async function captured(options: object): Promise<string[]> {
  expect(await node.call('CHECK', options)).toMatchObject({ exitCode: 0 })
  const families = [
    ['iptables-save', 'ipv4'],
    ['ip6tables-save', 'ipv6'],
  ] as const
  const found: string[] = []
  for (const [program, family] of families) {
    if ((await node.inside(program, '-t', 'nat')).includes('-A ISTIO_REDIRECT')) found.push(family)
  }
  expect(node.state()).toMatchObject([{ families: found }])
  const lo = await node.inside('ip', '-6', 'address', 'show', 'dev', 'lo')
  expect(lo.includes('::6/128')).toBe(found.includes('ipv6'))
  return found
}

describe('an IPv6 address that only the namespace knows', () => {
  test('is captured', async () => {
    await own(IPV6)
    expect(await node.call('ADD', told(IPV4))).toMatchObject({ exitCode: 0 })
    expect(await captured(told(IPV4))).toEqual(['ipv4', 'ipv6'])
  })

  test('is not captured in a pod without the dual-stack variable, and a warning names pod and variable', async () => {
    node.api.setPod(meshPod())
    await own(IPV6)
    const { exitCode, log } = await node.call('ADD', told(IPV4))
    expect(exitCode).toBe(0)
    expect(log).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        msg: expect.stringMatching(/^the IPv6 traffic .* is not captured: set ISTIO_DUAL_STACK=true/),
        pod: 'demo/web',
      }),
    )
    expect(await captured(told(IPV4))).toEqual(['ipv4'])
  })

  test('is ignored if it is link-local, or left by an earlier ADD', async () => {
    await own('fe80::7/64')
    expect(await node.call('ADD', told(IPV4, IPV6))).toMatchObject({ exitCode: 0 })
    expect(await captured(told(IPV4))).toEqual(['ipv4', 'ipv6'])
    expect(await node.call('ADD', told(IPV4))).toMatchObject({ exitCode: 0 })
    expect(await captured(told(IPV4))).toEqual(['ipv4'])
  })

  test('and an IPv4 address that only the namespace knows: the pod is dual-stack', async () => {
    node.api.setPod(meshPod())
    await own('10.9.8.7/24')
    const { exitCode, log } = await node.call('ADD', told(IPV6))
    expect(exitCode).toBe(0)
    expect(log.filter(({ level }) => level === 'warn')).toHaveLength(1)
    expect(await captured(told(IPV6))).toEqual(['ipv4'])
  })
})

describe('IPv6 that is switched off in the pod', () => {
  test.each([
    ['everywhere', ['all']],
    ['on its interface', ['eth0']],
    ['on lo, where the proxy needs an address', ['lo']],
  ])('%s is not captured, whatever the result says; IPv4 is', async (_, links) => {
    for (const link of links) await off(link)
    const { exitCode, log } = await node.call('ADD', told(IPV4, IPV6))
    expect(exitCode).toBe(0)
    expect(await captured(told(IPV4, IPV6))).toEqual(['ipv4'])
    expect(log).toContainEqual(
      expect.objectContaining({ level: 'info', msg: expect.stringContaining('switched off'), without: 'fd00::5' }),
    )
    expect(await node.call('DEL', told(IPV4, IPV6))).toMatchObject({ exitCode: 0 })
  })

  test('for future interfaces only is not off: plugins set it so', async () => {
    await off('all')
    for (const link of ['lo', 'eth0']) await off(link, 0)
    expect(await node.call('ADD', told(IPV4, IPV6))).toMatchObject({ exitCode: 0 })
    expect(await captured(told(IPV4, IPV6))).toEqual(['ipv4', 'ipv6'])
  })

  test('leaves an IPv6 pod without an address, and the error says so', async () => {
    await off('all')
    const { exitCode, document } = await node.call('ADD', told(IPV6))
    expect({ exitCode, document }).toMatchObject({
      exitCode: 1,
      document: {
        code: 7,
        msg: 'no valid local IP address found',
        details: expect.stringMatching(/^prevResult\.ips: fd00::5\/64; in .*, where IPv6 is switched off/),
      },
    })
    expect(await node.rules()).not.toContain('ISTIO')
  })

  test('on lo only, while the pod has an IPv6 address, fails ADD with advice', async () => {
    await own(IPV6)
    await off('lo')
    const { exitCode, document } = await node.call('ADD', told(IPV4))
    expect({ exitCode, document }).toMatchObject({
      exitCode: 1,
      document: {
        code: 5,
        msg: expect.stringMatching(/^the IPv6 traffic of the pod cannot be captured: Add address "::6\/128" on "lo"/),
        details: expect.stringContaining('net.ipv6.conf.lo.disable_ipv6 has to be 0'),
      },
    })
    expect(await node.rules()).not.toContain('ISTIO')
    expect(node.state()).toEqual([])
  })
})

import { readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { meshPod } from '../../src/testing/pods.ts'
import { legacyPath } from '../stage/legacy-path.ts'
import { type Fixture, fixture, prevResult } from './fixture.ts'

let node: Fixture
beforeEach(async () => {
  const annotations = { 'sidecar.istio.io/interceptionMode': 'TPROXY' }
  node = await fixture(meshPod({ annotations, proxy: { env: [{ name: 'ISTIO_DUAL_STACK', value: 'true' }] } }))
})
afterEach(() => node[Symbol.asyncDispose]())

const both = { conf: { prevResult: prevResult('10.1.2.3/24', 'fd00::5/64') } }
const families = ['-4', '-6'] as const
const policy = async () => {
  const texts: string[] = []
  for (const family of families) {
    texts.push(await node.inside('ip', family, 'rule', 'show', 'fwmark', '1337'))
    texts.push(await node.inside('ip', family, 'route', 'show', 'table', 'all'))
  }
  return texts.join('').match(/^.*(?:fwmark 0x539 lookup 133|local default dev lo table 133).*$/gm) ?? []
}

describe('a pod that asks for TPROXY', () => {
  test('gets one rule and one route of each family, also after repeated ADDs', async () => {
    for (let n = 0; n < 3; n += 1) expect(await node.call('ADD', both)).toMatchObject({ exitCode: 0 })
    expect(await policy()).toHaveLength(4)
    expect(await node.rules()).toContain('-A ISTIO_TPROXY ! -d 127.0.0.1/32 -p tcp -j TPROXY --on-port 15006')
    expect(node.state()).toMatchObject([{ tproxy: { mark: 1337, table: 133 }, applied: true }])
  })

  test('loses them with DEL', async () => {
    await node.call('ADD', both)
    expect(await node.call('DEL', both)).toMatchObject({ exitCode: 0 })
    expect(await policy()).toEqual([])
    expect(await node.rules()).not.toContain('ISTIO')
  })

  test('loses its policy routing with DEL even if the rules cannot be removed', async () => {
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.stubEnv('PATH', legacyPath(node.runDir))
    expect(await node.call('ADD', both)).toMatchObject({ exitCode: 0 })
    vi.stubEnv('PATH', '/nonexistent')
    const { exitCode, log } = await node.call('DEL', both)
    vi.unstubAllEnvs()
    expect(exitCode).toBe(0)
    expect(log.map(({ msg }) => msg).join()).toMatch(
      /its rules cannot be removed.*: iptables-legacy-restore is not installed/,
    )
    expect(await node.inside('iptables-legacy-save')).toContain('ISTIO')
    expect(await policy()).toEqual([])
  })

  test.each([
    ['DEL', 'gets rid of the other half'],
    ['ADD', 'goes back to REDIRECT without it'],
  ] as const)('and has a policy rule without its route, after a killed ADD: %s %s', async (verb, _) => {
    await node.call('ADD', both)
    for (const family of families) await node.inside('ip', family, 'route', 'flush', 'table', '133')
    if (verb === 'ADD') node.api.setPod(meshPod())
    const { exitCode, log } = await node.call(verb, both)
    expect(exitCode).toBe(0)
    expect(log.map(({ msg }) => msg).join()).not.toMatch(/cannot be removed|are left/)
    expect(await policy()).toEqual([])
  })

  test.each([
    ['rule', ['ip', '-6', 'rule', 'del', 'fwmark', '1337'], 'missing ipv6 rule: fwmark 1337 lookup 133'],
    ['route', ['ip', 'route', 'flush', 'table', '133'], 'missing ipv4 route: local default dev lo table 133'],
  ] as const)('fails CHECK without its %s, until ADD is repeated', async (_, [program, ...args], details) => {
    await node.call('ADD', both)
    expect(await node.call('CHECK', both)).toMatchObject({ exitCode: 0 })
    await node.inside(program, ...args)
    expect(await node.call('CHECK', both)).toMatchObject({ exitCode: 1, document: { code: 100, details } })
    await node.call('ADD', both)
    expect(await node.call('CHECK', both)).toMatchObject({ exitCode: 0 })
    expect(await policy()).toHaveLength(4)
  })

  test('gets no policy routing if nothing inbound is captured', async () => {
    const annotations = {
      'sidecar.istio.io/interceptionMode': 'TPROXY',
      'traffic.sidecar.istio.io/includeInboundPorts': '',
    }
    node.api.setPod(meshPod({ annotations }))
    expect(await node.call('ADD', both)).toMatchObject({ exitCode: 0 })
    expect(await policy()).toEqual([])
    expect(node.state()).toMatchObject([{ tproxy: null }])
  })

  test('can change to REDIRECT, and nothing of TPROXY stays', async () => {
    await node.call('ADD', both)
    node.api.setPod(meshPod())
    expect(await node.call('ADD', both)).toMatchObject({ exitCode: 0 })
    expect(await node.rules()).not.toMatch(/TPROXY|CONNMARK/)
    expect(await policy()).toEqual([])
    expect(await node.call('CHECK', both)).toMatchObject({ exitCode: 0 })
  })

  test('can change from REDIRECT and back, and nothing of the other mode stays', async () => {
    const exclude = { 'traffic.sidecar.istio.io/excludeInterfaces': 'eth7' }
    const tproxy = { ...exclude, 'sidecar.istio.io/interceptionMode': 'TPROXY' }
    const texts: string[] = []
    for (const annotations of [exclude, tproxy, exclude, tproxy]) {
      node.api.setPod(meshPod({ annotations, proxy: { env: [{ name: 'ISTIO_DUAL_STACK', value: 'true' }] } }))
      expect(await node.call('ADD', both)).toMatchObject({ exitCode: 0 })
      expect(await node.call('CHECK', both)).toMatchObject({ exitCode: 0 })
      expect(await policy()).toHaveLength(annotations === tproxy ? 4 : 0)
      // The kernel keeps empty tables. They have no effect.
      const text = (await node.rules()).replace(/^\*\w+\n(?::\w+ ACCEPT \[0:0\]\n)*COMMIT\n/gm, '')
      expect(text.match(/eth7/g)).toHaveLength(annotations === tproxy ? 8 : 4)
      texts.push(text.split('\n').sort().join('\n'))
    }
    expect(texts.slice(2)).toEqual(texts.slice(0, 2))
    expect(texts[0]).not.toBe(texts[1])
  })

  test('is unchanged after a failed ADD for REDIRECT', async () => {
    onTestFinished(() => void vi.unstubAllEnvs())
    const bin = legacyPath(node.runDir)
    vi.stubEnv('PATH', bin)
    await node.call('ADD', both)
    vi.unstubAllEnvs()
    node.api.setPod(meshPod())
    const seen = async () => ({ rules: await legacyRules(), policy: await policy(), state: node.state() })
    const before = await seen()
    expect(before).toMatchObject({ rules: expect.stringContaining('TPROXY'), state: [{ backend: 'legacy' }] })
    failOnce(join(bin, 'ip6tables-restore'))
    vi.stubEnv('PATH', bin)
    const failed = await node.call('ADD', both)
    vi.unstubAllEnvs()
    expect(failed).toMatchObject({ exitCode: 1, document: { msg: expect.stringContaining('ip6tables-restore') } })
    expect(await seen()).toEqual(before)
  })
})

const legacyRules = async () => {
  const texts = [await node.inside('iptables-legacy-save'), await node.inside('ip6tables-legacy-save')]
  return texts.join('').replace(/^#.*\n|\[\d+:\d+\]/gm, '')
}

/** Replaces a link to a program by a script that fails the first time. */
function failOnce(link: string): void {
  const program = readlinkSync(link)
  rmSync(link)
  const script = `#!/bin/sh
if [ -e "$0.failed" ]; then exec ${program} "$@"; fi
: > "$0.failed"
exit 1
`
  writeFileSync(link, script, { mode: 0o755 })
}

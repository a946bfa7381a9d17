import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { meshPod } from '../../src/testing/pods.ts'
import { fixture, prevResult } from './fixture.ts'
import { RECORDS_OF_VERSION_1 } from './records-of-version-1.ts'

const both = { conf: { prevResult: prevResult('10.1.2.3/24', 'fd00::5/64') } }
const pods = {
  redirect: {
    'traffic.sidecar.istio.io/excludeInboundPorts': '22,9000',
    'traffic.sidecar.istio.io/excludeOutboundIPRanges': '10.9.0.0/16,fd09::/16',
  },
  tproxy: { 'sidecar.istio.io/interceptionMode': 'TPROXY' },
} as const

describe.each(['redirect', 'tproxy'] as const)('a pod that an earlier plugin added, with %s', (mode) => {
  /** A pod whose record has the exact bytes of an earlier plugin. */
  async function addedPod() {
    const proxy = { env: [{ name: 'ISTIO_DUAL_STACK', value: '1' }] }
    const node = await fixture(meshPod({ annotations: pods[mode], proxy }))
    expect(await node.call('ADD', both)).toMatchObject({ exitCode: 0 })
    const { dev, ino } = node.netns
    const text = RECORDS_OF_VERSION_1[mode].replace(/"netns":\{[^}]*\}/, `"netns":{"dev":${dev},"ino":${ino}}`)
    writeFileSync(join(node.runDir, 'attachments', RECORDS_OF_VERSION_1.name), text)
    expect(node.state()).toEqual([JSON.parse(text)])
    return node
  }

  test('passes CHECK as long as its rules equal the record', async () => {
    await using node = await addedPod()
    expect(await node.call('CHECK', both)).toMatchObject({ exitCode: 0, stdout: '' })
    await node.inside('ip6tables', '-t', 'nat', '-D', 'OUTPUT', '-j', 'ISTIO_OUTPUT')
    expect(await node.call('CHECK', both)).toMatchObject({
      exitCode: 1,
      document: { code: 100, details: expect.stringContaining('missing ipv6 nat: -A OUTPUT -j ISTIO_OUTPUT') },
    })
  })

  test('loses rules, addresses, routes and record with DEL', async () => {
    await using node = await addedPod()
    const outcome = await node.call('DEL', both)
    expect(outcome).toMatchObject({ exitCode: 0, stdout: '' })
    expect(outcome.log.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([])
    expect(await node.rules()).not.toContain('ISTIO')
    expect(await node.inside('ip', '-6', 'addr', 'show', 'dev', 'lo')).not.toContain('::6/128')
    expect(await node.inside('ip', 'rule')).not.toContain('fwmark')
    expect(node.state()).toEqual([])
  })

  test('is added again, and the record is replaced', async () => {
    await using node = await addedPod()
    const rules = await node.rules()
    expect(await node.call('ADD', both)).toMatchObject({ exitCode: 0 })
    expect(await node.rules()).toBe(rules)
    expect(node.state()).toMatchObject([{ v: 1, applied: true }])
  })
})

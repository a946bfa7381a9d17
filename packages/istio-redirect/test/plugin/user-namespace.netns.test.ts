import { chmodSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { findExecutable } from '@cni/host'
import { ownedNetns } from '@cni/netns/testing'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { meshPod } from '../../src/testing/pods.ts'
import { type Fixture, fixture, prevResult } from './fixture.ts'

let node: Fixture
beforeEach(async () => {
  const env = [
    { name: 'ISTIO_DUAL_STACK', value: 'true' },
    { name: 'ISTIO_META_DNS_CAPTURE', value: 'true' },
  ]
  node = await fixture(
    meshPod({ annotations: { 'sidecar.istio.io/interceptionMode': 'TPROXY' }, proxy: { env } }),
    ownedNetns,
  )
})
afterEach(() => node[Symbol.asyncDispose]())

const both = { conf: { prevResult: prevResult('10.1.2.3/24', 'fd00::5/64') } }

describe('a pod with hostUsers: false', () => {
  test('is redirected, checked, repaired and cleaned up like any other pod', async () => {
    expect(await node.call('ADD', both)).toMatchObject({ exitCode: 0 })
    const before = await node.rules()
    expect(before.match(/-A ISTIO_OUTPUT -m owner --uid-owner 1337 -j RETURN/g)).toHaveLength(2)
    expect(await node.call('CHECK', both)).toMatchObject({ exitCode: 0 })
    await node.inside('iptables', '-t', 'nat', '-F', 'ISTIO_OUTPUT')
    expect(await node.call('CHECK', both)).toMatchObject({ exitCode: 1, document: { code: 100 } })
    expect(await node.call('ADD', both)).toMatchObject({ exitCode: 0 })
    expect(await node.rules()).toBe(before)
    expect(await node.call('DEL', both)).toMatchObject({ exitCode: 0, stdout: '' })
    expect(await node.rules()).not.toContain('ISTIO')
    expect(await node.inside('ip', 'rule', 'show', 'fwmark', '1337')).toBe('')
    expect(node.state()).toEqual([])
  })

  test('is redirected by legacy iptables as well', async () => {
    vi.stubEnv('PATH', binWith('nsenter', ...programs.map((name) => name.replace('tables-', 'tables-legacy-'))))
    for (const verb of ['ADD', 'CHECK', 'ADD']) {
      const { exitCode, document } = await node.call(verb, both)
      expect({ exitCode, problem: document.msg, details: document.details }).toEqual({ exitCode: 0 })
    }
    vi.unstubAllEnvs()
    expect(await node.inside('iptables-legacy-save')).toContain('--uid-owner 1337 -j RETURN')
  })

  test('cannot be redirected by legacy iptables without nsenter, and the error says so', async () => {
    vi.stubEnv('PATH', binWith(...programs))
    const { exitCode, document } = await node.call('ADD', both)
    vi.unstubAllEnvs()
    expect({ exitCode, document }).toMatchObject({
      exitCode: 1,
      document: { code: 50, msg: expect.stringMatching(/hostUsers: false.*util-linux/) },
    })
    expect(await node.rules()).toBe('')
    expect(node.state()).toEqual([])
  })
})

const programs = ['iptables-save', 'iptables-restore', 'ip6tables-save', 'ip6tables-restore']

/**
 * A folder for PATH with these programs only. The root of the pod's user namespace, an unprivileged user of the node,
 * may execute them.
 */
function binWith(...names: string[]): string {
  const bin = join(node.runDir, 'bin')
  chmodSync(node.runDir, 0o755)
  mkdirSync(bin)
  for (const name of names) {
    const file = findExecutable(name) ?? name
    for (const alias of [name, name.replace('-legacy', '')])
      if (!existsSync(join(bin, alias))) symlinkSync(file, join(bin, alias))
  }
  return bin
}

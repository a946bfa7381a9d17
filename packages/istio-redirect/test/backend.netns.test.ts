import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { findExecutable } from '@cni/host'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { meshPod } from '../testing/pods.ts'
import { type Fixture, fixture } from './fixture.ts'

let node: Fixture
beforeEach(async () => {
  node = await fixture(meshPod())
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await node[Symbol.asyncDispose]()
})

const count = async (kind: 'nft' | 'legacy') =>
  (await node.inside(`iptables-${kind}-save`)).match(/-A ISTIO_/g)?.length ?? 0

/** Calls the plugin on a node whose plain iptables is of one kind; both kinds are installed under their own names. */
async function call(verb: string, kind: 'nft' | 'legacy', conf: object = {}) {
  const bin = join(node.runDir, `bin-${kind}`)
  mkdirSync(bin, { recursive: true })
  for (const stem of ['iptables', 'ip6tables']) {
    for (const program of ['restore', 'save']) {
      const names = [`${stem}-nft-${program}`, `${stem}-legacy-${program}`]
      for (const name of names) link(findExecutable(name) ?? name, join(bin, name))
      link(findExecutable(`${stem}-${kind}-${program}`) ?? '', join(bin, `${stem}-${program}`))
    }
  }
  vi.stubEnv('PATH', bin)
  try {
    return await node.call(verb, { conf: { ...conf } })
  } finally {
    vi.unstubAllEnvs()
  }
}

function link(target: string, path: string): void {
  const [folder, name] = [join(path, '..'), path.split('/').at(-1) ?? '']
  if (!readdirSync(folder).includes(name)) symlinkSync(target, path)
}

describe('when the node’s iptables changes its kind', () => {
  test('from nft to legacy, a repeated ADD moves the rules', async () => {
    expect(await call('ADD', 'nft')).toMatchObject({ exitCode: 0 })
    const rules = await count('nft')
    expect(node.state()).toMatchObject([{ backend: 'nft' }])
    expect(await call('ADD', 'legacy')).toMatchObject({ exitCode: 0 })
    expect([await count('nft'), await count('legacy')]).toEqual([0, rules])
    expect(node.state()).toMatchObject([{ backend: 'legacy', applied: true }])
    expect(await call('CHECK', 'legacy')).toMatchObject({ exitCode: 0 })
  })

  test('from legacy to nft, rules stay where they are found', async () => {
    await call('ADD', 'legacy')
    const rules = await count('legacy')
    expect(await call('ADD', 'nft')).toMatchObject({ exitCode: 0 })
    expect([await count('nft'), await count('legacy')]).toEqual([0, rules])
    expect(await call('CHECK', 'nft')).toMatchObject({ exitCode: 0 })
    expect(await call('DEL', 'nft')).toMatchObject({ exitCode: 0 })
    expect(await count('legacy')).toBe(0)
  })

  test('from nft to legacy, CHECK and DEL still find what ADD wrote', async () => {
    await call('ADD', 'nft')
    expect(await call('CHECK', 'legacy')).toMatchObject({ exitCode: 0 })
    await node.inside('iptables-nft', '-t', 'nat', '-F', 'ISTIO_OUTPUT')
    expect(await call('CHECK', 'legacy')).toMatchObject({ exitCode: 1, document: { code: 100 } })
    expect(await call('DEL', 'legacy')).toMatchObject({ exitCode: 0 })
    expect(await count('nft')).toBe(0)
  })

  test('a failing ADD leaves the rules in the old one', async () => {
    await call('ADD', 'nft')
    const before = { rules: await node.inside('iptables-nft-save', '-t', 'nat'), state: node.state() }
    await node.inside('sysctl', '-qw', 'net.ipv6.conf.lo.disable_ipv6=1')
    const prevResult = { cniVersion: '1.0.0', ips: [{ address: 'fd00::5/64' }] }
    expect(await call('ADD', 'legacy', { prevResult })).toMatchObject({ exitCode: 1 })
    expect(await count('legacy')).toBe(0)
    const ruleLines = (text: string) => text.match(/^[-:].*$/gm)
    expect(ruleLines(await node.inside('iptables-nft-save', '-t', 'nat'))).toEqual(ruleLines(before.rules))
    expect(node.state()).toEqual(before.state)
  })
})

import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { findExecutable } from '@cni/host'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { meshPod } from '../../src/testing/pods.ts'
import { type Fixture, fixture } from './fixture.ts'

let node: Fixture
beforeEach(async () => {
  node = await fixture(meshPod())
})
afterEach(() => node[Symbol.asyncDispose]())

const count = async (kind: 'nft' | 'legacy') =>
  (await node.inside(`iptables-${kind}-save`)).match(/-A ISTIO_/g)?.length ?? 0

/** Calls the plugin on a node whose `iptables` is of one kind. Both kinds are installed under their own names. */
async function call(verb: string, kind: 'nft' | 'legacy', conf: object = {}, stems = ['iptables', 'ip6tables']) {
  const bin = join(node.runDir, `bin-${kind}-${stems.length}`)
  mkdirSync(bin, { recursive: true })
  for (const stem of stems) {
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

  test('from legacy to nft, rules stay in the back end that has them', async () => {
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

  test('from legacy to no program, CHECK, DEL and ADD name the missing program, and ADD writes nothing', async () => {
    await call('ADD', 'legacy')
    const state = node.state()
    vi.stubEnv('PATH', '/nonexistent')
    const missing = expect.stringMatching(/^iptables-legacy-restore is not installed/)
    for (const verb of ['CHECK', 'ADD']) {
      expect(await node.call(verb)).toMatchObject({ exitCode: 1, document: { code: 50, msg: missing } })
    }
    expect(node.state()).toEqual(state)
    const { exitCode, log } = await node.call('DEL')
    vi.unstubAllEnvs()
    expect(exitCode).toBe(0)
    expect(log.map(({ msg }) => msg).join()).toMatch(/cannot be removed.*: iptables-legacy-restore is not installed/)
    expect(await count('nft')).toBe(0)
    expect(await count('legacy')).toBeGreaterThan(0)
  })

  test('a failing ADD leaves the rules in the earlier back end', async () => {
    await call('ADD', 'nft')
    const before = { rules: await node.inside('iptables-nft-save', '-t', 'nat'), state: node.state() }
    node.api.setPod(meshPod({ annotations: { 'sidecar.istio.io/interceptionMode': 'TPROXY' } }))
    await node.inside('ip', 'link', 'set', 'lo', 'down')
    const prevResult = { cniVersion: '1.0.0', ips: [{ address: 'fd00::5/64' }] }
    expect(await call('ADD', 'legacy', { prevResult })).toMatchObject({
      exitCode: 1,
      document: { msg: expect.stringContaining('ENETDOWN') },
    })
    expect(await count('legacy')).toBe(0)
    const ruleLines = (text: string) => text.match(/^[-:].*$/gm)
    expect(ruleLines(await node.inside('iptables-nft-save', '-t', 'nat'))).toEqual(ruleLines(before.rules))
    expect(node.state()).toEqual(before.state)
  })
})

describe.each(['nft', 'legacy'] as const)('on a node without ip6tables (%s)', (kind) => {
  const both = { prevResult: { cniVersion: '1.0.0', ips: [{ address: '10.1.2.3/24' }, { address: 'fd00::5/64' }] } }
  const without = (verb: string, conf = {}) => call(verb, kind, conf, ['iptables'])
  const dualStack = meshPod({ proxy: { env: [{ name: 'ISTIO_DUAL_STACK', value: 'true' }] } })
  const missing = {
    exitCode: 1,
    document: { code: 50, msg: expect.stringMatching(/^ip6tables-[\w-]+ is not installed/) },
  }

  test('an IPv4 pod is redirected, and CHECK passes', async () => {
    expect(await without('ADD')).toMatchObject({ exitCode: 0 })
    expect(await without('CHECK')).toMatchObject({ exitCode: 0 })
    await node.inside(`iptables-${kind}`, '-t', 'nat', '-F', 'ISTIO_OUTPUT')
    expect(await without('CHECK')).toMatchObject({ exitCode: 1, document: { code: 100 } })
    expect(await without('ADD')).toMatchObject({ exitCode: 0 })
    expect(await without('CHECK')).toMatchObject({ exitCode: 0 })
    const { exitCode, log } = await without('DEL')
    expect({ exitCode, warnings: log.filter(({ level }) => level === 'warn') }).toEqual({ exitCode: 0, warnings: [] })
    expect(await count(kind)).toBe(0)
  })

  test('a pod that does not ask for IPv6 is redirected, too', async () => {
    expect(await without('ADD', both)).toMatchObject({ exitCode: 0 })
    expect(await without('CHECK', both)).toMatchObject({ exitCode: 0 })
  })

  test.runIf(kind === 'nft')('a pod whose IPv6 is captured is redirected, as no program is needed', async () => {
    node.api.setPod(dualStack)
    for (const verb of ['ADD', 'CHECK']) expect(await without(verb, both)).toMatchObject({ exitCode: 0 })
    expect(await node.inside('ip6tables-save')).toContain('ISTIO_OUTPUT')
    expect(await without('DEL', both)).toMatchObject({ exitCode: 0 })
    expect(await node.inside('ip6tables-save')).not.toContain('ISTIO')
  })

  test.runIf(kind === 'legacy')(
    'a pod whose IPv6 is to be captured is refused by ADD, and where ip6tables went later by CHECK as well',
    async () => {
      node.api.setPod(dualStack)
      expect(await without('ADD', both)).toMatchObject(missing)
      expect(await count(kind)).toBe(0)
      expect(node.state()).toEqual([])
      expect(await call('ADD', kind, both)).toMatchObject({ exitCode: 0 })
      expect(await without('CHECK', both)).toMatchObject(missing)
      expect(await without('ADD', both)).toMatchObject(missing)
    },
  )
})

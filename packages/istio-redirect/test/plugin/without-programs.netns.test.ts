import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { meshPod } from '../../src/testing/pods.ts'
import { type Fixture, fixture, prevResult } from './fixture.ts'

let node: Fixture
beforeEach(async () => {
  node = await fixture(meshPod())
})
afterEach(() => node[Symbol.asyncDispose]())

const both = { cniVersion: '1.1.0', prevResult: prevResult('10.1.2.3/24', 'fd00::5/64') }
const modes = ['REDIRECT', 'TPROXY'] as const
const podOf = (mode: (typeof modes)[number]) =>
  meshPod({
    annotations: { 'sidecar.istio.io/interceptionMode': mode },
    proxy: { env: [{ name: 'ISTIO_DUAL_STACK', value: 'true' }] },
  })

/** Calls the plugin with another PATH. The rest of the test keeps the usual PATH. */
async function call(verb: string, path: string, conf: object = {}) {
  vi.stubEnv('PATH', path)
  try {
    return await node.call(verb, { conf: { ...both, ...conf } })
  } finally {
    vi.unstubAllEnvs()
  }
}

/** Recorders in place of all programs that the plugin could run. Each records its name and fails. */
function recorders() {
  const bin = join(node.runDir, 'bin-recorders')
  const record = join(node.runDir, 'started')
  mkdirSync(bin)
  writeFileSync(record, '')
  const script = `#!/bin/sh\necho "$0 $*" >> ${record}\nexit 1\n`
  for (const file of ['xtables-nft-multi', 'nft', 'nsenter', 'ip', 'sysctl', 'ipset', 'modprobe', 'cat', 'sh']) {
    writeFileSync(join(bin, file), script, { mode: 0o755 })
  }
  // Debian's links: the target of `iptables` shows the kind of iptables on the node.
  for (const stem of ['iptables', 'ip6tables']) {
    for (const kind of ['', '-nft']) {
      for (const what of ['', '-restore', '-save']) symlinkSync('xtables-nft-multi', join(bin, `${stem}${kind}${what}`))
    }
  }
  return { path: bin, started: () => readFileSync(record, 'utf8') }
}

/** The rules of both families, without counters and built-in chains. */
const rules = async () => (await node.rules()).match(/^-A .*$/gm) ?? []

describe.each(modes)('a pod of both families that asks for %s', (mode) => {
  const expected = `-j ${mode} `
  beforeEach(() => node.api.setPod(podOf(mode)))

  test.each([
    ['finds', () => recorders()],
    ['would find', () => ({ path: '/nonexistent', started: () => '' })],
  ])('is added, checked and deleted without any program, with a PATH that %s', async (_, place) => {
    const { path, started } = place()
    expect(await call('STATUS', path)).toMatchObject({ exitCode: 0, stdout: '', log: [] })
    expect(await call('ADD', path)).toMatchObject({ exitCode: 0 })
    const written = await rules()
    expect(written.filter((rule) => rule.includes(expected)).length).toBeGreaterThanOrEqual(2)
    expect(node.state()).toMatchObject([{ backend: 'nft', families: ['ipv4', 'ipv6'], applied: true }])
    expect(await call('CHECK', path)).toMatchObject({ exitCode: 0, stdout: '' })
    expect(await call('ADD', path)).toMatchObject({ exitCode: 0 })
    expect(await rules()).toEqual(written)

    for (const program of ['iptables', 'ip6tables']) {
      await node.inside(program, '-t', 'nat', '-D', 'OUTPUT', '-j', 'ISTIO_OUTPUT')
      expect(await call('CHECK', path)).toMatchObject({
        exitCode: 1,
        document: { code: 100, details: expect.stringContaining('-A OUTPUT -j ISTIO_OUTPUT') },
      })
      await node.inside(program, '-t', 'nat', '-A', 'OUTPUT', '-j', 'ISTIO_OUTPUT')
      expect(await call('CHECK', path)).toMatchObject({ exitCode: 0 })
    }

    const { exitCode, log } = await call('DEL', path)
    expect({ exitCode, log }).toEqual({ exitCode: 0, log: [] })
    expect(await node.rules()).not.toMatch(/ISTIO|^-A/m)
    expect(await node.inside('ip', 'rule', 'show', 'fwmark', '1337')).toBe('')
    expect(await node.inside('ip', '-6', 'address', 'show', 'dev', 'lo')).not.toContain('::6/128')
    expect(node.state()).toEqual([])
    expect(started()).toBe('')
  })
})

test('the recorders record programs: legacy iptables runs if a pod has legacy rules', async () => {
  await node.inside('iptables-legacy', '-A', 'OUTPUT', '-j', 'ACCEPT')
  const { path, started } = recorders()
  for (const stem of ['iptables', 'ip6tables']) {
    for (const what of ['restore', 'save']) {
      symlinkSync('xtables-nft-multi', join(path, `${stem}-legacy-${what}`))
    }
  }
  expect(await call('ADD', path)).toMatchObject({ exitCode: 1 })
  expect(started()).toMatch(/iptables-legacy-save/)
})

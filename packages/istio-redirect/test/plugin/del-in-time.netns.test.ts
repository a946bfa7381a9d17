import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { del } from '../../src/plugin/del.ts'
import { plugin } from '../../src/plugin/plugin.ts'
import { meshPod } from '../../src/testing/pods.ts'
import { legacyPath } from '../stage/legacy-path.ts'
import { type Fixture, fixture, prevResult } from './fixture.ts'

let node: Fixture
beforeEach(async () => {
  const env = [{ name: 'ISTIO_DUAL_STACK', value: '1' }]
  node = await fixture(meshPod({ annotations: { 'sidecar.istio.io/interceptionMode': 'TPROXY' }, proxy: { env } }))
})
afterEach(() => node[Symbol.asyncDispose]())

const both = { conf: { prevResult: prevResult('10.1.2.3/24', 'fd00::5/64') } }
const inAMoment = { ...plugin, del: (c: Parameters<typeof del>[0]) => del(c, { programMs: 300 }) }

/** Programs that record their process id and never end, not even for SIGTERM. `links` are more names of the file. */
function hanging(file: string, ...links: string[]): { readonly pids: () => number[] } {
  const bin = join(node.runDir, 'bin')
  const started = join(node.runDir, 'started')
  mkdirSync(bin)
  writeFileSync(join(bin, file), `#!/bin/sh\ntrap '' TERM\necho $$ >> ${started}\nexec /bin/sleep 60\n`)
  chmodSync(join(bin, file), 0o755)
  for (const link of links) symlinkSync(file, join(bin, link))
  vi.stubEnv('PATH', bin)
  const noted = () => (existsSync(started) ? readFileSync(started, 'utf8') : '')
  return { pids: () => noted().trim().split('\n').filter(Boolean).map(Number) }
}

test('DEL starts no program if only nf_tables has rules of the pod', async () => {
  expect(await node.call('ADD', both)).toMatchObject({ exitCode: 0 })
  const { pids } = hanging(
    'xtables-nft-multi',
    'iptables-restore',
    'iptables-save',
    'ip6tables-restore',
    'ip6tables-save',
  )
  const { exitCode, log } = await node.call('DEL', { ...both, plugin: inAMoment })
  vi.unstubAllEnvs()
  expect({ exitCode, pids: pids() }).toEqual({ exitCode: 0, pids: [] })
  expect(log.filter(({ level }) => level === 'warn')).toEqual([])
  expect(await node.rules()).not.toContain('ISTIO')
  expect(node.state()).toEqual([])
})

describe('DEL ends in time, reports what it left, and removes its record', () => {
  test.each([
    ['iptables-restore never returns', 'xtables-legacy-multi', ['iptables-restore', 'ip6tables-restore']],
    [
      'nor iptables-save',
      'xtables-legacy-multi',
      ['iptables-restore', 'ip6tables-restore', 'iptables-save', 'ip6tables-save'],
    ],
    ['not even with its version', 'wrapper', ['iptables-restore', 'ip6tables-restore']],
  ])('when %s', async (_, file, links) => {
    vi.stubEnv('PATH', legacyPath(node.runDir))
    expect(await node.call('ADD', both)).toMatchObject({ exitCode: 0 })
    const { pids } = hanging(file, ...links)
    const begun = performance.now()
    const { exitCode, stdout, log } = await node.call('DEL', { ...both, plugin: inAMoment })
    const took = performance.now() - begun
    vi.unstubAllEnvs()
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
    // 300 ms, 1.5 s for the programs to end by themselves, 1 s until they are killed
    expect(took).toBeLessThan(6000)
    const warnings = log.filter(({ level }) => level === 'warn').map(({ msg }) => msg)
    expect(warnings).toEqual([
      expect.stringMatching(
        new RegExp(
          `^deleting an attachment: its rules are left in ${node.netns.path}, .*ip6?tables-.* the deadline of 0\\.3 s has passed$`,
        ),
      ),
    ])
    expect(await node.inside('iptables-legacy-save')).toContain('ISTIO_OUTPUT')
    expect(pids().length).toBeGreaterThan(0)
    for (const pid of pids()) await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false)
    expect(await node.inside('ip', 'rule', 'show', 'fwmark', '1337')).toBe('')
    expect(await node.inside('ip', '-6', 'address', 'show', 'dev', 'lo')).not.toContain('::6/128')
    expect(node.state()).toEqual([])
  })
})

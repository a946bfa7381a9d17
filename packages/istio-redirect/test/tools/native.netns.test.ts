import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Netns, netns } from '@cni/netns'
import { Batch, openNft } from '@cni/nftables/wire'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { kernelDump } from '../../../istio-rules/test/kernel-dump.ts'
import { machine } from '../../src/tools/system.ts'
import { podWith } from '../stage/kernel.ts'
import { inetTablesIn } from '../stage/tables-in.ts'
import { tools as toolsOn } from './tools-io.ts'

let pod: Netns & AsyncDisposable
const inside = async (...argv: [string, ...string[]]) => (await netns.exec(pod, argv)).stdout

beforeEach(async () => {
  pod = await podWith('10.1.2.3', 'fd00::3')
})
afterEach(() => pod[Symbol.asyncDispose]())

const tools = (...argv: string[]) => toolsOn(argv, { system: machine })
const byIptables = (...flags: string[]) => tools('iptables', '--network-namespace', pod.path, ...flags)
const program = (...flags: string[]) => byIptables('--native-nftables', ...flags)
const plan = (word: string) => ({ exitCode: 0, stdout: expect.stringContaining(`"plan":"${word}"`) })
const policy = async () => `${await inside('ip', 'rule')}${await inside('ip', '-6', 'rule')}`.match(/fwmark .*$/gm)
const chains = async () => (await inside('iptables-save')).includes('ISTIO_')

test('iptables --native-nftables writes, writes nothing again, replaces and removes', async () => {
  expect(await program('-b', '*', '-i', '*', '--json')).toMatchObject(plan('fresh'))
  const first = kernelDump(pod)
  expect(await program('-b', '*', '-i', '*', '--json')).toMatchObject(plan('unchanged'))
  expect(kernelDump(pod)).toEqual(first)
  expect(await program('-b', '80', '-m', 'TPROXY', '--dual-stack', '--json')).toMatchObject(plan('replace'))
  expect(inetTablesIn(pod)).toEqual(['istio-proxy-nat', 'istio-proxy-mangle'])
  expect(await policy()).toHaveLength(2)
  expect(await program('-b', '*', '-i', '*')).toMatchObject({ exitCode: 0 })
  // Restored chains come last.
  expect([kernelDump(pod).toSorted(), await policy()]).toEqual([first.toSorted(), null])
  expect(await program('--cleanup-only', '--json')).toMatchObject(plan('removed'))
  expect(kernelDump(pod)).toEqual([])
})

test('a dry run prints the ruleset and writes nothing; bad values write nothing', async () => {
  const { exitCode, stdout } = await program('-b', '80-90', '-n')
  expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('tcp dport 80-90') })
  expect(await program('-b', '80', '-u', 'nobody-knows-me')).toMatchObject({ exitCode: 1 })
  expect(kernelDump(pod)).toEqual([])
})

test('each kind of rules replaces the other', async () => {
  expect(await byIptables('-b', '*')).toMatchObject({ exitCode: 0 })
  expect(await program('-b', '*')).toMatchObject({ exitCode: 0 })
  expect([await chains(), inetTablesIn(pod)]).toEqual([false, ['istio-proxy-nat']])
  expect(await byIptables('-b', '*')).toMatchObject({ exitCode: 0 })
  expect([await chains(), inetTablesIn(pod)]).toEqual([true, []])
})

test('check and trace read native rules', async () => {
  await program('-b', '*', '-i', '*', '-d', '15020,15021,15090', '-o', '15020')
  const file = new URL('../goldens/tools/pod.yaml', import.meta.url).pathname
  const check = () => tools('check', '--netns', pod.path, '--pod', file, '--native-nftables')
  expect(await check()).toMatchObject({ exitCode: 0, stdout: 'demo/web: as it should be\n' })
  const trace = (packet: string) => tools('trace', '--netns', pod.path, '--native-nftables', '--packet', packet)
  expect(await trace('tcp 10.0.0.5:80 uid 1000')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('127.0.0.1:15001'),
  })
  expect((await trace('tcp 10.0.0.5:80 uid 1337')).stdout).not.toContain('15001')
  const folder = mkdtempSync(join(tmpdir(), 'istio-redirect-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const listing = join(folder, 'listing')
  writeFileSync(listing, await inside('nft', 'list', 'ruleset'))
  const packet = 'tcp 10.0.0.5:80 from 10.1.2.3 uid 1000 local 10.1.2.3'
  const listed = await tools('trace', '--from', listing, '--native-nftables', '--packet', packet)
  expect(listed).toEqual(await trace(packet))
  {
    using nft = openNft(pod)
    nft.commit(new Batch().flush({ family: 'inet', table: 'istio-proxy-nat', chain: 'istio-redirect' }))
  }
  expect(await check()).toMatchObject({ exitCode: 4, stdout: expect.stringContaining('istio-redirect') })
})

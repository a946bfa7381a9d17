import { readFileSync } from 'node:fs'
import { type Netns, netns } from '@cni/netns'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { machine } from '../../src/tools/system.ts'
import { podWith } from '../stage/kernel.ts'
import { tools as toolsOn } from './tools-io.ts'

let pod: Netns & AsyncDisposable
const inside = async (...argv: [string, ...string[]]) => (await netns.exec(pod, argv)).stdout

beforeEach(async () => {
  pod = await podWith('10.1.2.3', 'fd00::3')
})
afterEach(() => pod[Symbol.asyncDispose]())

const tools = (...argv: string[]) => toolsOn(argv, { system: machine })
const program = (...flags: string[]) => tools('iptables', '--network-namespace', pod.path, ...flags)
const withoutCounters = (text: string) => text.replace(/^#.*\n/gm, '').replace(/\[\d+:\d+\]/g, '')
const rules = async () => withoutCounters(`${await inside('iptables-save')}${await inside('ip6tables-save')}`)
const policy = async () => `${await inside('ip', 'rule')}${await inside('ip', '-6', 'rule')}`.match(/fwmark .*$/gm)

test('a second run with the same flags writes nothing, other flags are refused without --reconcile', async () => {
  expect(await program('-b', '*', '-i', '*')).toMatchObject({ exitCode: 0 })
  const first = await rules()
  expect(first).toContain('-A PREROUTING -p tcp -j ISTIO_INBOUND')
  expect(await program('-b', '*', '-i', '*', '--json')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('"plan":"unchanged"'),
  })
  const other = await program('-b', '80', '-i', '*')
  expect(other).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('--reconcile corrects them') })
  expect(await program('-b', '*', '-i', '*', '--force-apply')).toMatchObject({ exitCode: 1 })
  expect(await rules()).toBe(first)
  expect(await program('-b', '80', '-i', '*', '--reconcile')).toMatchObject({ exitCode: 0 })
  expect(await rules()).toContain('--dport 80 -j ISTIO_IN_REDIRECT')
})

test('--force-apply writes new rules; a second call fails, and no back end is changed', async () => {
  const forced = ['-b', '*', '-i', '*', '--force-apply']
  expect(await program(...forced)).toMatchObject({ exitCode: 0 })
  const before = [await inside('iptables-nft-save'), await inside('iptables-legacy-save')].map(withoutCounters)
  expect(await program(...forced)).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('the chains exist') })
  const after = [await inside('iptables-nft-save'), await inside('iptables-legacy-save')].map(withoutCounters)
  expect(after).toEqual(before)
  // A repeated flag on one line has no further effect.
  expect(await program('--cleanup-only')).toMatchObject({ exitCode: 0 })
  expect(await program(...forced, '--force-apply')).toMatchObject({ exitCode: 0 })
})

test('a change to REDIRECT removes all rules of TPROXY, and --cleanup-only removes everything', async () => {
  const tproxy = ['-b', '80', '-m', 'TPROXY', '--dual-stack']
  expect(await program(...tproxy)).toMatchObject({ exitCode: 0 })
  expect(await program(...tproxy)).toMatchObject({ exitCode: 0 })
  expect(await policy()).toHaveLength(2)
  expect(await inside('ip', '-6', 'addr', 'show', 'dev', 'lo')).toContain('::6/128')
  expect(await program('-b', '80', '--dual-stack', '--reconcile')).toMatchObject({ exitCode: 0 })
  expect(await policy()).toBeNull()
  expect((await rules()).match(/.*(?:TPROXY|DIVERT|MARK).*/g)).toBeNull()
  expect(await program('--cleanup-only')).toMatchObject({ exitCode: 0 })
  expect(await rules()).not.toMatch(/^-A|ISTIO/m)
  expect(await inside('ip', '-6', 'addr', 'show', 'dev', 'lo')).not.toContain('::6/128')
})

test('bad values change nothing', async () => {
  expect(await program('-b', '*', '-i', '10.0.0.0')).toMatchObject({ exitCode: 1 })
  expect(await rules()).not.toContain('ISTIO')
})

test('check finds changes by other programs', async () => {
  await program('-b', '*', '-i', '*', '-d', '15020,15021,15090', '-o', '15020')
  const file = new URL('../goldens/tools/pod.yaml', import.meta.url).pathname
  expect(readFileSync(file, 'utf8')).toContain('kind: Pod')
  const check = () => tools('check', '--netns', pod.path, '--pod', file)
  expect(await check()).toMatchObject({ exitCode: 0, stdout: 'demo/web: as it should be\n' })
  await inside('iptables', '-t', 'nat', '-D', 'ISTIO_OUTPUT', '1')
  expect(await check()).toMatchObject({
    exitCode: 4,
    stdout: expect.stringContaining('missing ipv4 nat: -A ISTIO_OUTPUT'),
  })
  const trace = await tools('trace', '--netns', pod.path, '--packet', 'tcp 10.0.0.5:80 uid 1000')
  expect(trace).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('ACCEPT to 127.0.0.1:15001') })
})

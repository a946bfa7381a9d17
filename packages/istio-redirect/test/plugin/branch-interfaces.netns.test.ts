import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { branchInterfaces, needsBranchRoutes } from '../../src/agent/ambient/node/branch-interfaces.ts'

let node: Awaited<ReturnType<typeof tempNetns>>
beforeEach(async () => {
  node = await tempNetns()
  ip('link add vlan.eth.1 type veth peer name eni0', 'link set vlan.eth.1 up', 'link set eni0 up')
})
afterEach(() => node[Symbol.asyncDispose]())

function ip(...commands: readonly string[]): string {
  return commands
    .map((command) => {
      const { status, stdout, stderr } = netns.run(node, () =>
        spawnSync('ip', command.split(' '), { encoding: 'utf8' }),
      )
      if (status !== 0) throw new Error(`ip ${command}: ${stderr}`)
      return stdout
    })
    .join('')
}

/** Sets up a pod as the AWS plugin does. */
function branchPod(flag: '-4' | '-6', address: string, table: number, priority: number): void {
  ip(
    `${flag} route add ${address} dev eni0 table ${table}`,
    `${flag} rule add iif eni0 lookup ${table} pref ${priority}`,
    `${flag} rule add iif vlan.eth.1 lookup ${table} pref ${priority}`,
  )
}
const rules = (flag: '-4' | '-6'): string[] =>
  ip(`${flag} rule show`)
    .split('\n')
    .filter((line) => /^(?:512|9|0):/.test(line) && line !== '0:\tfrom all lookup local')
    .map((line) => line.replace(/\s+/g, ' ').trim())

test.each([
  ['-4', '192.168.7.9', 199],
  ['-6', 'fd77::9', 198],
] as const)('rules for a pod on a branch interface come and go with it (ip %s)', async (flag, address, table) => {
  branchPod(flag, address, table, 10)
  const branches = branchInterfaces(node)
  expect(await branches.add([address, '192.168.7.10', 'fd77::a'])).toEqual([address])
  const wanted = ['9: from all iif eni0 lookup local', `512: from all to ${address} lookup ${table}`]
  expect(rules(flag)).toEqual(wanted)
  expect(await branches.add([address])).toEqual([address])
  expect(rules(flag)).toEqual(wanted)
  // The interface is gone, so its rules can no longer be found by it.
  ip('link del eni0')
  await branches.remove([address])
  expect(rules(flag)).toEqual([])
  await branches.remove([address])
})

test('all rules are removed at the end, and another start takes over earlier rules', async () => {
  branchPod('-4', '192.168.7.9', 199, 10)
  branchPod('-6', 'fd77::9', 198, 1)
  await branchInterfaces(node).add(['::ffff:192.168.7.9', 'fd77::9'])
  const branches = branchInterfaces(node)
  expect(await branches.add(['192.168.7.9', 'fd77::9'])).toEqual(['192.168.7.9', 'fd77::9'])
  expect(rules('-6')).toEqual(['0: from all iif eni0 lookup local', '512: from all to fd77::9 lookup 198'])
  await branches.removeAll()
  expect([...rules('-4'), ...rules('-6')]).toEqual([])
})

test.each([
  ['without a rule for an interface', ['route add 192.168.7.9 dev eni0 table 199']],
  ['in the main table', ['route add 192.168.7.9 dev eni0', 'rule add iif eni0 lookup main pref 10']],
  [
    'behind another interface than that of the rule',
    ['route add 192.168.7.9 dev eni0 table 199', 'rule add iif vlan.eth.1 lookup 199 pref 10'],
  ],
  ['in a network only', ['route add 192.168.7.0/24 dev eni0 table 199', 'rule add iif eni0 lookup 199 pref 10']],
])('an address %s is not on a branch interface', async (_, commands) => {
  ip(...commands)
  expect(await branchInterfaces(node).add(['192.168.7.9', 'nonsense'])).toEqual([])
  expect(rules('-4')).toEqual([])
})

test.each([
  ['0\n', true],
  ['1\n', false],
  [undefined, false],
])('with tcp_early_demux %j the rules are needed: %s', (text, needed) => {
  const proc = mkdtempSync(join(tmpdir(), 'proc-'))
  onTestFinished(() => rmSync(proc, { recursive: true }))
  mkdirSync(join(proc, 'sys/net/ipv4'), { recursive: true })
  if (text !== undefined) writeFileSync(join(proc, 'sys/net/ipv4/tcp_early_demux'), text)
  expect(needsBranchRoutes(proc)).toBe(needed)
})

import { expect, test } from 'vitest'
import { difference, type Snapshot } from './snapshot.ts'
import { tamperings } from './tamper.ts'

const snapshot = (lines: readonly string[], sysctls: Readonly<Record<string, string>> = {}): Snapshot => ({
  lines: [...lines, ...Object.entries(sysctls).map(([name, value]) => `sysctl ${name} = ${value}`)],
  sysctls: new Map(Object.entries(sysctls)),
})
const texts = (before: Snapshot, after: Snapshot) => tamperings(before, after).map(({ text }) => text)
const lo = 'link lo down mtu 65536  '

test.each([
  ['a new link is deleted', [lo], [lo, 'link eth0 up mtu 1500 veth aa'], ['deleted the link eth0']],
  [
    'and not its addresses one by one',
    [],
    ['link eth0 up ', 'address 10.0.0.2/24 dev eth0'],
    ['deleted the link eth0'],
  ],
  ['a link that was set up is set down', [lo], ['link lo up mtu 65536  '], ['set the link lo down']],
  [
    'an address on a link that was there is deleted',
    ['link eth0 up '],
    ['link eth0 up ', 'address 10.0.0.2/24 dev eth0'],
    ['deleted the address 10.0.0.2/24 of eth0'],
  ],
  ['rules are flushed', [], ['nft table ip x', 'nft table ip x / chain y'], ['flushed the nftables ruleset']],
  [
    'rules of the older kind, too',
    [],
    ['iptables-legacy nat -A OUTPUT -j X', 'iptables-legacy mangle :X -'],
    ['flushed the iptables-legacy tables nat, mangle'],
  ],
  ['nothing new, nothing to undo', [lo], [lo], []],
])('%s', (_, before, after, expected) => {
  expect(texts(snapshot(before), snapshot(after))).toEqual(expected)
})

test('a sysctl is restored, unless a new link changed it', () => {
  const off = { 'net/ipv4/conf/eth0/log_martians': '0' }
  const on = { 'net/ipv4/conf/eth0/log_martians': '1' }
  expect(texts(snapshot([], off), snapshot([], on))).toEqual(['set net/ipv4/conf/eth0/log_martians back'])
  expect(texts(snapshot([], off), snapshot(['link eth1 up '], on))).toEqual(['deleted the link eth1'])
})

test('the second of two equal lines is a change; the sysctls of a new link are not', () => {
  expect(difference(snapshot(['nft a']), snapshot(['nft a', 'nft a']))).toEqual({ added: ['nft a'], removed: [] })
  const after = snapshot(['link eth1 up '], { 'net/ipv4/conf/eth1/forwarding': '0' })
  expect(difference(snapshot([]), after)).toEqual({ added: ['link eth1 up '], removed: [] })
})

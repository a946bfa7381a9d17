import { describe, expect, test } from 'vitest'
import { parseSave } from '../parse/saved-tables.ts'
import type { Family } from '../rules/model.ts'
import { fakeIptables } from '../testing/fake-iptables.ts'
import { driftText } from './drift.ts'
import { diffSnapshots, type Snapshot } from './snapshot.ts'

const before = `*filter
:INPUT ACCEPT [0:0]
:FORWARD DROP [7:420]
-A INPUT -p tcp -m tcp --dport 80 -j DROP
COMMIT
*nat
:OUTPUT ACCEPT [0:0]
:EX - [0:0]
-A OUTPUT -p tcp -j EX
COMMIT
`
const after = `*filter
:INPUT DROP [0:0]
:FORWARD DROP [0:0]
-A INPUT -p tcp --dport 80 -j DROP
-A INPUT -p udp -j ACCEPT
COMMIT
`
const changes = [
  'missing ipv4 nat: -A OUTPUT -p tcp -j EX',
  'missing ipv4 nat: chain EX',
  'unexpected ipv4 filter: -A INPUT -p udp -j ACCEPT',
  'changed ipv4 filter: -P INPUT DROP (expected: ACCEPT)',
]

const read = (text: string, family: Family = 'ipv4') => parseSave(text, family)
const whole = (text: string): Snapshot => ({ backend: 'iptables-nft', tables: ['filter', 'nat'], ipv4: read(text) })
const lines = (one: Parameters<typeof diffSnapshots>[0], other: Parameters<typeof diffSnapshots>[0]) =>
  driftText(diffSnapshots(one, other)).split('\n').filter(Boolean)

describe('the difference between two snapshots', () => {
  test('includes every table of two parsed texts, also one that only one text contains', () => {
    expect(lines(read(before), read(after))).toEqual(changes)
    expect(lines(read(before), read(before))).toEqual([])
  })

  test('includes the tables that a snapshot covers if a text is compared with it', () => {
    expect(lines(whole(before), read(after))).toEqual(changes)
    expect(lines({ ...whole(before), tables: ['nat'] }, read(after))).toEqual(changes.slice(0, 2))
  })

  test.each<[string, Parameters<typeof diffSnapshots>[0], Parameters<typeof diffSnapshots>[0], string]>([
    ['two families', read(before), read(after, 'ipv6'), 'ipv4 (all tables) and ipv6 (all tables)'],
    ['two families of snapshots', whole(before), read(after, 'ipv6'), 'ipv4 (filter, nat) and ipv6 (all tables)'],
    [
      'other tables',
      { ...whole(before), tables: ['nat'] },
      { ...whole(after), tables: ['filter', 'raw'] },
      'ipv4 (nat) and ipv4 (filter, raw)',
    ],
    [
      'no family at all',
      { backend: 'iptables-nft', tables: ['nat'] },
      whole(after),
      'no family (nat) and ipv4 (filter, nat)',
    ],
  ])('%s without common tables throws instead of reporting equality', (_name, one, other, covered) => {
    expect(() => diffSnapshots(one, other)).toThrow(`diffSnapshots: nothing to compare, the snapshots cover ${covered}`)
  })

  test('lists all changes between a text and the kernel', async () => {
    const fake = fakeIptables()
    fake.tamper('*nat\n-N EX\n-A EX -j RETURN\nCOMMIT\n')
    expect(driftText(await fake.diff(read('*nat\n:EX - [0:0]\nCOMMIT\n')))).toBe('unexpected ipv4 nat: -A EX -j RETURN')
  })
})

describe('restore', () => {
  test.each<[string, object, string]>([
    ['the result of parseSave', read(before), 'expected what snapshot() returned; a text does not say its back end'],
    ['a snapshot of no family', { backend: 'iptables-nft', tables: ['nat'] }, 'the snapshot holds no family'],
    ['a snapshot of no table', { ...whole(before), tables: [] }, 'tables: [] is not a list of'],
  ])('refuses %s instead of doing nothing', async (_name, snapshot, message) => {
    const fake = fakeIptables()
    // Value that an untyped caller may pass.
    await expect(fake.restore(snapshot as Snapshot)).rejects.toThrow(message)
    expect(fake.commands).toEqual([])
  })
})

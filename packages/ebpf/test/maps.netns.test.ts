import { ebpf, int, queueMap } from '@cni/ebpf'
import { expect, test } from 'vitest'
import { failing } from './failing.ts'
import { counts, pods } from './specs.ts'

const bpf = ebpf()
const events = queueMap({ name: 'events', value: int('u32'), maxEntries: 2 })

test('a hash has the entries that were set and not deleted, and throws if it is full', () => {
  using map = bpf.createMap(pods)
  const values = [1, 2, 3].map((ifindex) => ({ ifindex, mac: `02:00:00:00:00:0${ifindex}` }))
  for (const [at, value] of values.entries()) map.set(`10.0.0.${at}`, value)
  expect(map.get('10.0.0.1')).toEqual(values[1])
  expect(map.get('10.0.0.9')).toBeUndefined()
  expect(new Map(map.entries())).toEqual(new Map(values.map((value, at) => [`10.0.0.${at}`, value])))
  const one = { ifindex: 7, mac: '02:00:00:00:00:07' }
  expect(() => map.set('10.0.0.9', one)).toThrow(failing('FULL', '"10.0.0.9" of map pods', '3 entries'))
  expect(() => map.set('10.0.0.1', one, 'new')).toThrow(failing('EXISTS', '"10.0.0.1"'))
  expect(() => map.set('10.0.0.9', one, 'existing')).toThrow(failing('NOT_FOUND', '"10.0.0.9"'))
  expect([map.delete('10.0.0.1'), map.delete('10.0.0.1')]).toEqual([true, false])
  expect(map.get('10.0.0.1')).toBeUndefined()
  expect(() => map.set('10.0.0.1', { ...one, ifindex: -1 })).toThrow(failing('INVALID', 'value.ifindex', '-1'))
  expect(() => map.get('fd00::1')).toThrow(failing('INVALID', 'key: expected an IPv4 address, got "fd00::1"'))
})

test('an array has all entries, which are zero at first', () => {
  using map = bpf.createMap(counts)
  map.set(1, 2n ** 64n - 1n)
  expect(map.values()).toEqual([0n, 2n ** 64n - 1n])
  expect(() => map.get(2)).toThrow(failing('INVALID', 'Read 2 of map counts', 'last index is 1'))
  expect(() => map.set(2, 1n)).toThrow(failing('INVALID', 'last index is 1'))
})

test('a queue returns values in the order of push', () => {
  using map = bpf.createMap(events)
  map.push(1)
  map.push(2)
  expect(() => map.push(3)).toThrow(failing('FULL', 'queue events'))
  expect([map.pop(), map.pop(), map.pop()]).toEqual([1, 2, undefined])
})

test('a closed map throws CLOSED', () => {
  const map = bpf.createMap(counts)
  map.close()
  map.close()
  expect(() => map.get(0)).toThrow(failing('CLOSED', 'map counts is closed'))
})

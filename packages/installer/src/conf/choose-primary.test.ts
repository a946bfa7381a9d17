import { expect, test } from 'vitest'
import type { Candidates } from './candidate.ts'
import { choosePrimary, type PrimaryMemory, type PrimaryRules } from './choose-primary.ts'

const rules: PrimaryRules = { type: 'mesh' }
function candidates(names: readonly string[], invalid: Record<string, string> = {}): Candidates {
  return { valid: names.map((name) => ({ name, types: ['bridge'] })), invalid: new Map(Object.entries(invalid)) }
}
const choose = (names: readonly string[], memory: PrimaryMemory = {}, more: Partial<PrimaryRules> = {}, now = 0) =>
  choosePrimary(candidates(names), { ...rules, ...more }, memory, now)

test('without a given name the first valid file is the primary', () => {
  expect(choose(['bridge.conf', 'list.conflist'])).toMatchObject({ kind: 'use', name: 'bridge.conf' })
  expect(choose([])).toMatchObject({ kind: 'wait', reason: expect.stringContaining('no file in the folder') })
  expect(choosePrimary(candidates([], { 'x.conf': 'bad' }), rules, {}, 0)).toMatchObject({
    kind: 'wait',
    reason: 'no valid network configuration: x.conf is not usable: bad',
  })
})

test.each([
  ['list.conflist', 'list.conflist'],
  ['list.conf', 'list.conflist'],
  ['bridge.conflist', 'bridge.conf'],
])('the given name %s selects %s', (explicit, name) => {
  expect(choose(['bridge.conf', 'list.conflist'], {}, { explicit })).toMatchObject({ kind: 'use', name })
})

test('a given file that is missing is not replaced by another', () => {
  const explicit = 'never.conf'
  expect(choose(['bridge.conf'], {}, { explicit })).toMatchObject({ kind: 'wait', reason: 'never.conf does not exist' })
  expect(
    choosePrimary(candidates(['z.conf'], { 'never.conf': 'half' }), { ...rules, explicit }, {}, 9e9),
  ).toMatchObject({
    kind: 'wait',
    reason: 'never.conf is not usable: half',
  })
})

test('a given file that is not the first one is used, with a warning', () => {
  expect(choose(['a.conf', 'b.conflist'], {}, { explicit: 'b.conflist' })).toMatchObject({
    name: 'b.conflist',
    preemptedBy: 'a.conf',
  })
})

test('a new file that sorts earlier becomes the primary at once, unless pin is set', () => {
  const memory = { name: 'b.conflist' }
  expect(choose(['a.conf', 'b.conflist'], memory)).toMatchObject({ kind: 'use', name: 'a.conf' })
  expect(choose(['a.conf'], memory)).toMatchObject({ kind: 'use', name: 'a.conf' })
  expect(choose(['a.conf', 'b.conflist'], memory, { pin: true })).toMatchObject({
    name: 'b.conflist',
    preemptedBy: 'a.conf',
  })
})

test('a known primary that becomes invalid keeps its role for two seconds', () => {
  const first = choose(['z.conflist'], { name: 'a.conflist' }, {}, 1000)
  expect(first).toMatchObject({ kind: 'hold', until: 3000, memory: { name: 'a.conflist', troubledAt: 1000 } })
  const second = choose(['z.conflist'], first.memory, {}, 2999)
  expect(second).toMatchObject({ kind: 'hold', until: 3000 })
  expect(choose(['a.conflist', 'z.conflist'], second.memory, {}, 2999)).toMatchObject({
    name: 'a.conflist',
    memory: { name: 'a.conflist' },
  })
  expect(choose(['z.conflist'], second.memory, {}, 3000)).toMatchObject({ kind: 'use', name: 'z.conflist' })
  expect(choose([], second.memory, {}, 3000)).toMatchObject({ kind: 'wait', reason: 'a.conflist does not exist' })
})

test('our own file, and a file with only our plugin, are never the primary', () => {
  expect(choose(['02-own.conflist', 'b.conf'], {}, { own: ['02-own.conflist'] })).toMatchObject({ name: 'b.conf' })
  const alone: Candidates = { valid: [{ name: 'mesh.conf', types: ['mesh'] }], invalid: new Map() }
  expect(choosePrimary(alone, rules, {}, 0)).toMatchObject({ kind: 'wait' })
  expect(choosePrimary(alone, { ...rules, explicit: 'mesh.conf' }, {}, 0)).toMatchObject({
    reason: 'mesh.conf configures nothing but this plugin',
  })
})

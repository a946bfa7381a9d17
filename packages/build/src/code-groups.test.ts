import { describe, expect, test } from 'vitest'
import { codeByUse } from './code-groups.ts'
import { topLevelOf } from './top-level.ts'

/** What esbuild makes of `import()`s of modules that are nothing but these functions. */
const imports = (...names: string[]) => names.map((name) => `Promise.resolve().then(() => ${name});`).join('\n')

/** Functions, each of which calls some of the others. */
const functions = (calls: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(calls)
    .map(([name, called]) => `function ${name}() { ${called.map((one) => `${one}();`).join(' ')} }`)
    .join('\n')

/** The names in each group. */
const groupsOf = (text: string) =>
  codeByUse(topLevelOf(text) ?? [])
    .groups.map(({ names }) => [...names].sort().join(' '))
    .sort()

/** More than a group has that becomes part of another. */
const MANY = ['a', 'b', 'c', 'd', 'e']
const many = Object.fromEntries(MANY.map((name) => [name, []]))

describe('a few functions that some import()s lead to', () => {
  test('are loaded with what more of them lead to', () => {
    const calls = { one: ['all'], two: ['all'], three: ['all'], all: MANY, ...many }
    expect(groupsOf(`${functions(calls)}\n${imports('one', 'two', 'three')}`)).toEqual(['a all b c d e one three two'])
  })

  test('and where some use what fewer of them lead to, with that', () => {
    const calls = { one: ['all', 'some'], two: ['all', 'some'], three: ['all'], some: MANY, ...many, all: [] }
    const text = `${functions(calls)}\n${imports('one', 'two', 'three')}`
    expect(groupsOf(text)).toEqual(['a b c d e one some two', 'all three'])
  })

  test('are by themselves where nothing else is loaded with them', () => {
    expect(groupsOf(`${functions({ one: [], two: [] })}\n${imports('one', 'two')}`)).toEqual(['one', 'two'])
  })

  test('are by themselves where they are many, or long', () => {
    const own = { one: ['all', ...MANY], ...many, two: ['all'], all: [] }
    expect(groupsOf(`${functions(own)}\n${imports('one', 'two')}`)).toEqual(['a b c d e one', 'all two'])
    const long = `function one() { all(); say('${'x'.repeat(5000)}') }`
    expect(groupsOf(`${long}\n${functions({ two: ['all'], all: [] })}\n${imports('one', 'two')}`)).toEqual([
      'all two',
      'one',
    ])
  })
})

import { runInNewContext } from 'node:vm'
import * as esbuild from 'esbuild'
import { describe, expect, test } from 'vitest'
import { ownLanguageFunctions } from './language-functions.ts'
import { readPrelude } from './prelude.ts'

const { functions } = await readPrelude(esbuild)

/** What a script says, as it is and with functions of its own. */
async function said(text: string): Promise<readonly unknown[]> {
  const run = async (script: string): Promise<readonly unknown[]> => {
    const said: unknown[] = []
    await runInNewContext(script, { say: (...values: unknown[]) => said.push(...values.map(shown)), withResolvers })
    return said
  }
  const expected = await run(text)
  expect(await run(`withResolvers(Promise); ${ownLanguageFunctions(text, functions)}`)).toEqual(expected)
  return expected
}

/** Holes, and members that JSON has none for, are to be seen. */
const shown = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? `${JSON.stringify(value)} ${Object.keys(value).join()}` : value

/** What Node 20 lacks. */
const withResolvers = (promise: { withResolvers?: unknown; new (executor: unknown): unknown }) => {
  promise.withResolvers ??= () => {
    const made: Record<string, unknown> = {}
    made.promise = new promise((resolve: unknown, reject: unknown) => Object.assign(made, { resolve, reject }))
    return made
  }
}

const own = (text: string): string => ownLanguageFunctions(text, functions)

describe('what a bundle calls instead does the same', () => {
  test.each([
    ['each item, its place, and the list', `say([3, 4].map((x, i, all) => x * i + all.length))`],
    [
      'holes stay holes',
      `say([1, , 3, , ].map((x) => x), [1, , undefined].filter(() => true), [, 1].flatMap((x) => x))`,
    ],
    [
      'holes are looked at by those that look for one',
      `say([, 1].find((x) => x === undefined), [, 1].findIndex((x) => !x))`,
    ],
    [
      'the first, and the last',
      `say([1, 2, 3].find((x) => x > 1), [1, 2, 3].findLast((x) => x < 3), [1].find((x) => x > 1))`,
    ],
    [
      'some, every, none',
      `say([1, 2].some((x) => x > 1), [1, 2].every((x) => x > 1), [].some((x) => x), [].every((x) => x))`,
    ],
    ['lists in lists', `say([1, 2].flatMap((x) => [x, [x]]), [[1, , 2]].flatMap((x) => x))`],
    ['a sum', `say([1, 2, 3].reduce((sum, x, i) => sum + x * i, 10), [].reduce((a) => a, 'none'))`],
    ['what is only done', `say([1, , 2].forEach((x) => say(x)))`],
    [
      'one behind the other',
      `say([1, 2, 3, 4].filter((x) => x % 2).map((x) => [x]).flatMap((x) => x).reduce((a, b) => a + b, 0))`,
    ],
    ['one in another', `say([[1, 2], [3]].map((list) => list.map((x) => x + list.length).filter(Boolean)))`],
    [
      'what stands in parentheses',
      `say((1 ? [1] : [2]).map((x) => x), ([1], [2]).some(Boolean), (undefined ?? [5]).map(String))`,
    ],
    [
      'a list that grows, or shrinks, meanwhile',
      `const a = [1, 2, 3]; say(a.map((x) => (a.push(9), a.length = 5, x))); const b = [1, 2, 3]; say(b.filter((x) => { b.pop(); return true }))`,
    ],
    [
      'a function by its name',
      `function twice(x) { return 2 * x } say([1, 2].map(twice)); const f = (x) => x > 1; say([1, 2].filter(f))`,
    ],
    ['this is none', `say([1].map(function () { 'use strict'; return this === undefined })[0])`],
    [
      'what is no array',
      `say(new Uint8Array([1, 2]).map((x) => x * 2).length, { map: (f) => f(7) }.map((x) => x + 1), 'text'.find?.((x) => x))`,
    ],
    [
      'an array of a kind of its own',
      `class L extends Array { sum() { return this.reduce((a, b) => a + b, 0) } } say(L.of(1, 2).map((x) => x + 1).sum(), L.of(1, 2).filter((x) => x > 1) instanceof L)`,
    ],
    [
      'an array with a species',
      `const s = [1, 2]; s.constructor = { [Symbol.species]: function (n) { this.n = n } }; say(s.map((x) => x).n)`,
    ],
    [
      'what may not be there',
      `const none = undefined, there = { list: [1] }; say(none?.map((x) => x), none?.list.map((x) => x), there?.list.map((x) => x), (there?.list).map((x) => x + 1))`,
    ],
    ['what is called by its name in a text', `const n = 'map'; say([1][n]((x) => x), [1]['map']((x) => x))`],
    [
      'members of an object',
      `say(Object.fromEntries([['a', 1], ['b', 2], ['a', 3]]), Object.fromEntries(new Map([['x', 1]])), Object.fromEntries([[1, 2]]))`,
    ],
    [
      'a member that is none when it is assigned',
      `const o = Object.fromEntries([['__proto__', 1], ['b', 2]]); say(Object.keys(o), Object.getPrototypeOf(o) === Object.prototype)`,
    ],
    [
      'members that are inherited',
      `say(Object.hasOwn({ a: 1 }, 'a'), Object.hasOwn({}, 'toString'), Object.hasOwn([1], 0), Object.hasOwn('text', 'length'))`,
    ],
    [
      'functions that are thrown out of',
      `try { [1].map(() => { throw new Error('out') }) } catch (error) { say(error.message) }`,
    ],
    [
      'what is no function',
      `for (const f of [undefined, {}]) try { [].map(f) } catch (error) { say(error instanceof TypeError) }`,
    ],
    [
      'what is no list',
      `for (const list of [undefined, null, 1]) try { list.map((x) => x) } catch (error) { say(error instanceof TypeError) }`,
    ],
    [
      'entries that are none',
      `for (const all of [undefined, [1], [null]]) try { Object.fromEntries(all) } catch (error) { say(error instanceof TypeError) }`,
    ],
  ])('%s', async (_, text) => {
    expect((await said(text)).length).toBeGreaterThan(0)
  })

  test('promises, that are resolved, rejected, and thrown out of', async () => {
    const text = `(async () => {
      say(await new Promise((resolve) => resolve(1)))
      say(await new Promise((_, reject) => reject(2)).catch((x) => x), await new Promise(() => { throw 3 }).catch((x) => x))
      say(await new Promise((resolve) => { resolve(4); throw 5 }))
      say(new Promise(function () {}) instanceof Promise)
    })()`
    expect(await said(text)).toEqual([1, 2, 3, 4, true])
  })
})

describe('only', () => {
  test('what is called is in the bundle', () => {
    const text = own(`say([1].map((x) => x)); new Promise((f) => f())`)
    expect(text).toContain('function ownMap(')
    expect(text).toContain('function ownPromise(')
    expect(text).not.toContain('function ownFilter(')
  })

  test.each([
    ['a function that is made there', `say([1].map(make()))`],
    ['another number of arguments', `say([1].map((x) => x, 2), [1].reduce((a) => a), [1].map())`],
    ['all of a list', `say([1].map(...f), Object.hasOwn(...g), new Promise(...h))`],
    ['a member of the class above', `class A extends B { map() { return super.map((x) => x) } }`],
    ['something in a chain', `say(a?.map((x) => x), a?.b.map((x) => x), a?.b().filter((x) => x))`],
    ['a promise that has its name from the text', `(function (Promise) { say(new Promise((f) => f())) })(class {})`],
    ['an object that has its name from the text', `const { Object } = other; say(Object.hasOwn({}, 'a'))`],
    ['a promise of another kind', `say(new Other((f) => f()), new Promise(executor))`],
    ['a name that is taken', `function ownMap() {} say([1].map((x) => x))`],
    ['something that cannot be read', `say([1].map((x) => x)) ${'['.repeat(20_000)}${']'.repeat(20_000)}`],
  ])('%s stays as it is', (_, text) => {
    expect(own(text)).toBe(text)
  })
})

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parse } from 'acorn'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bundle } from './bundle.ts'

/** Files of a program by their names; `main.mjs` calls `say` with what can be seen of it. */
type Files = Readonly<Record<string, string>>

const programs: ReadonlyArray<readonly [what: string, files: Files, said: readonly unknown[]]> = [
  [
    'what is shared is evaluated once, when it is first imported, after what it imports',
    {
      'main.mjs': `say('main'); const one = await1(); async function await1() { await import('./one.mjs'); await import('./two.mjs'); say('end') }`,
      'one.mjs': `import { shared } from './shared.mjs'; say('one', shared)`,
      'two.mjs': `import { shared } from './shared.mjs'; import { other } from './other.mjs'; say('two', shared, other)`,
      'shared.mjs': `import { other } from './other.mjs'; say('shared', other); export const shared = 'S'`,
      'other.mjs': `say('other'); export const other = 'O'`,
    },
    ['main', 'other', 'shared O', 'one S', 'two S O', 'end'],
  ],
  [
    'a variable that changes is the same everywhere',
    {
      'main.mjs': `import { count, up } from './count.mjs'; up(); go(); async function go() { (await import('./one.mjs')).more(); say(count, (await import('./two.mjs')).seen()) }`,
      'count.mjs': `export let count = 0; export function up() { count++ }`,
      'one.mjs': `import { up } from './count.mjs'; import { mark } from './marks.mjs'; export function more() { up(); mark() }`,
      'two.mjs': `import { count } from './count.mjs'; import { marks } from './marks.mjs'; export const seen = () => [count, marks].join()`,
      'marks.mjs': `export let marks = 10; export function mark() { marks += 1 }`,
    },
    ['2 2,11'],
  ],
  [
    'a function can be called before its module is evaluated, in a circle of them',
    {
      'main.mjs': `import('./a.mjs').then(({ a }) => say(a()))`,
      'a.mjs': `import { early } from './b.mjs'; export function a() { return 'a' + early } `,
      'b.mjs': `import { a } from './a.mjs'; export const early = typeof a; say(early)`,
    },
    ['function', 'afunction'],
  ],
  [
    'a module that throws does so at every import(), and is evaluated once',
    {
      'main.mjs': `const t = () => import('./bad.mjs').catch((e) => { say(e.message); return e }); t().then(async (e) => say(e === await t()))`,
      'bad.mjs': `say('bad'); export function never() {} throw new Error('no')`,
    },
    ['bad', 'no', 'no', 'true'],
  ],
  [
    'what uses modules of Node is evaluated in the same order, and has them from the beginning',
    {
      'main.mjs': `import('./a.mjs').then(({ a }) => say(a()))`,
      'a.mjs': `import { basename } from 'node:path'; import { b } from './b.mjs'; say('a', b); export function a() { return basename('/x/y') }`,
      'b.mjs': `import { sep } from 'node:path'; import { a } from './a.mjs'; import './c.mjs'; say('b', sep, a()); export const b = 'B'`,
      'c.mjs': `import { existsSync } from 'node:fs'; say('c', existsSync('/'))`,
    },
    ['c true', 'b / y', 'a B', 'y'],
  ],
  [
    'a module of CommonJS is what it exports, with its own helpers',
    {
      'main.mjs': `import('./old.cjs').then((m) => say(m.default.name, m.twice(2)))`,
      'old.cjs': `const { double } = require('./double.cjs'); module.exports = { name: 'old', twice(n) { return double(n) } }`,
      'double.cjs': `exports.double = (n) => 2 * n`,
    },
    ['old 4'],
  ],
  [
    'an import() in what was imported, of something that others need as well',
    {
      'main.mjs': `import('./outer.mjs').then(async ({ inner }) => say((await inner()).base(), typeof (await import('./side.mjs')).side))`,
      'outer.mjs': `import { base } from './base.mjs'; export async function inner() { say(base()); return import('./inner.mjs') }`,
      'inner.mjs': `export { base } from './base.mjs'`,
      'side.mjs': `import * as all from './base.mjs'; export const side = all`,
      'base.mjs': `export function base() { return helper() } function helper() { return 'B' } export default class {}`,
    },
    ['B', 'B object'],
  ],
  [
    'generators, asynchronous functions, classes with state, and the names of functions',
    {
      'main.mjs': `import('./kinds.mjs').then(async (k) => say([...k.numbers()].join(), await k.later(), k.Kept.of(), new k.default().x, k.later.name.length > 0))`,
      'kinds.mjs': `export function* numbers() { yield 1; yield 2 } export async function later() { return 'L' }
        export class Kept { static #n = 1; static of() { return ++Kept.#n } } export default class { x = numbers.length }`,
    },
    ['1,2 L 2 0 true'],
  ],
  [
    'names of members, labels and parameters are not those of the top level',
    {
      'main.mjs': `const call = (add) => add({ add: 1 }).add; say(call((x) => x)); import('./add.mjs').then(({ add }) => say(add(1)))`,
      'add.mjs': `export function add(add) { const o = { add }; outer: for (;;) { break outer } return o.add }`,
    },
    ['1', '1'],
  ],
  [
    'a diamond of modules, each after what it imports',
    {
      'main.mjs': `import('./top.mjs').then(({ top }) => say(top))`,
      'top.mjs': `import { left } from './left.mjs'; import { right } from './right.mjs'; say('top'); export const top = left + right`,
      'left.mjs': `import { base } from './base.mjs'; say('left'); export const left = 'l' + base`,
      'right.mjs': `import { base } from './base.mjs'; say('right'); export const right = 'r' + base`,
      'base.mjs': `say('base'); export const base = 'b'`,
    },
    ['base', 'left', 'right', 'top', 'lbrb'],
  ],
  [
    'modules in a circle, of which either is imported first',
    {
      'main.mjs': `const b = () => import('./b.mjs'); import('./a.mjs').then(({ a }) => say(a())).then(b).then(({ b }) => say(b()))`,
      'a.mjs': `import { b, early } from './b.mjs'; say('a', early); export function a() { return 'a' + b() }`,
      'b.mjs': `import { a } from './a.mjs'; import './c.mjs'; say('b'); export const early = typeof a; export function b() { return 'b' }`,
      'c.mjs': `import { b } from './b.mjs'; say('c', typeof b)`,
    },
    ['c function', 'b', 'a function', 'ab', 'b'],
  ],
  [
    'what is evaluated at the start is not evaluated again, whoever imports it',
    {
      'main.mjs': `import { one } from './one.mjs'; import { two } from './two.mjs'; say(one, two); import('./late.mjs').then(({ late }) => say(late))`,
      'one.mjs': `import { base } from './base.mjs'; say('one'); export const one = 'o' + base`,
      'two.mjs': `import { base } from './base.mjs'; import { one } from './one.mjs'; say('two'); export const two = one + base`,
      'late.mjs': `import { two } from './two.mjs'; import { one } from './one.mjs'; import { more } from './more.mjs'; export const late = [one, two, more].join()`,
      'more.mjs': `import { base } from './base.mjs'; say('more'); export const more = 'm' + base`,
      'base.mjs': `say('base'); export const base = 'b'`,
    },
    ['base', 'one', 'two', 'ob obb', 'more', 'ob,obb,mb'],
  ],
  [
    'of modules that fail together, those that did not fail serve others',
    {
      'main.mjs': `const t = (load) => load().catch(({ message }) => say(message)); t(() => import('./bad.mjs')).then(() => t(() => import('./bad.mjs'))).then(() => import('./good.mjs')).then(({ good }) => say(good))`,
      'bad.mjs': `import { shared } from './shared.mjs'; import { worse } from './worse.mjs'; say(shared, worse)`,
      'worse.mjs': `say('worse'); export const worse = null.x`,
      'good.mjs': `import { shared } from './shared.mjs'; export const good = 'g' + shared`,
      'shared.mjs': `say('shared'); export const shared = 's'`,
    },
    ['shared', 'worse', expect.stringContaining('null'), expect.stringContaining('null'), 'gs'],
  ],
  [
    'what is only there to be evaluated is, also where it says nothing',
    {
      'main.mjs': `import './effect.mjs'; import('./late.mjs').then(() => say('end'))`,
      'effect.mjs': `import './empty.mjs'; say('effect')`,
      'empty.mjs': ``,
      'late.mjs': `import './effect.mjs'; import './inner.mjs'; import './empty.mjs'`,
      'inner.mjs': `import './empty.mjs'; say('inner')`,
    },
    ['effect', 'inner', 'end'],
  ],
  [
    'what only looks like an import() is left as it is',
    {
      'main.mjs': `import { a, b } from './ab.mjs'; Promise.resolve().then(() => (a(), b)).then((v) => say(v))`,
      'ab.mjs': `export let b = 1; export function a() { b = 2 }`,
    },
    ['2'],
  ],
]

describe.each(['bun', 'node'] as const)('in a bundle for %s', (runtime) => {
  test.each(programs)('%s', async (_, files, said) => {
    for (const minify of [true, false]) {
      const text = await bundled(files, runtime, minify)
      expect(await run(text, said.length)).toEqual(said)
    }
  })
})

test('what only an import() leads to is no part of the top level of a bundle for bun, what it shares is', async () => {
  const files = {
    'main.mjs': `import { always } from './always.mjs'; always(); use(import('./one.mjs'), import('./two.mjs'))`,
    'always.mjs': `export function always() {} export function lateUser() { return 1 }`,
    'one.mjs': `import { lateUser } from './always.mjs'; import { both } from './both.mjs'; export function one() { only(); both(); lateUser() } function only() {}`,
    'two.mjs': `import { both } from './both.mjs'; export function two() { both() }`,
    'both.mjs': `export function both() { inBoth() } function inBoth() {}`,
  }
  const names = topLevelNames(await bundled(files, 'bun', false))
  expect(names).toEqual(expect.arrayContaining(['always', 'both']))
  for (const name of ['lateUser', 'one', 'only', 'two', 'inBoth']) expect(names).not.toContain(name)
  expect(topLevelNames(await bundled(files, 'node', false))).toEqual(expect.arrayContaining(['only', 'inBoth']))
})

test('what loads a group is declared in the group that all ways to it go through', async () => {
  const files = {
    'main.mjs': `import('./outer.mjs').then(({ outer }) => outer()); import('./other.mjs').then(({ other }) => other())`,
    'outer.mjs': `export async function outer() { say((await import('./inner.mjs')).inner(), (await import('./both.mjs')).both()) }`,
    'inner.mjs': `export async function inner() { say((await import('./innermost.mjs')).innermost()) }`,
    'innermost.mjs': `export const innermost = () => 'I'`,
    'other.mjs': `export async function other() { say((await import('./both.mjs')).both()) }`,
    'both.mjs': `export const both = () => 'B'`,
  }
  const text = await bundled(files, 'bun', false)
  // outer, other, and what both of them load
  expect(topLevelNames(text).filter((name) => name.startsWith('__load'))).toHaveLength(3)
  expect((await run(text, 3)).toSorted()).toEqual(['B', 'I', '[object Promise] B'])
})

test('a module is one function, with what it says of itself in front: nothing is made of what nobody imports', async () => {
  const files = {
    'main.mjs': `import { value } from './value.mjs'; say(value); import('./late.mjs').then(({ late }) => say(late))`,
    'value.mjs': `export const value = 'v'`,
    'late.mjs': `'use strict'; import { value } from './value.mjs'; export const late = value + (function () { return typeof this })()`,
  }
  const text = await bundled(files, 'bun', false)
  expect(text).not.toMatch(/= __esm\(\{/)
  expect(await run(text, 2)).toEqual(['v', 'vundefined'])
})

test.each([
  ['of what an index collects, what it uses', 'false', ['a', 'one A', 'b', 'base', 'two B!']],
  ['all that an index collects, where that may have an effect', 'true', ['a', 'b', 'base', 'one A', 'two B!']],
  ['all that an index collects in a package that does not say', 'null', ['a', 'b', 'base', 'one A', 'two B!']],
])('a module evaluates %s', async (_, sideEffects, said) => {
  const files = {
    'package.json': `{"sideEffects":${sideEffects}}`,
    'main.mjs': `import('./one.mjs').then(async ({ one }) => { say(one); say((await import('./two.mjs')).two) })`,
    'one.mjs': `import { a } from './index.mjs'; export const one = 'one ' + a`,
    'two.mjs': `import { b, f } from './index.mjs'; export const two = 'two ' + b + f()`,
    'index.mjs': `export { a } from './a.mjs'; export * from './inner.mjs'`,
    'inner.mjs': `export { b } from './b.mjs'; export { f } from './f.mjs'`,
    'a.mjs': `say('a'); export const a = 'A'`,
    'b.mjs': `say('b'); export const b = 'B'`,
    'f.mjs': `import { base } from './base.mjs'; export function f() { return base }`,
    'base.mjs': `say('base'); export const base = '!'`,
  }
  for (const minify of [true, false]) {
    expect(await run(await bundled(files, 'bun', minify), said.length)).toEqual(said)
  }
})

test('of a package without effects, what loads a group evaluates it, with no function for a module', async () => {
  const files = {
    'package.json': `{"sideEffects":false}`,
    'main.mjs': `import('./one.mjs').then(async ({ one }) => { say(one); say((await import('./two.mjs')).two) })`,
    'one.mjs': `import { both } from './both.mjs'; import { early } from './circle.mjs'; say('one'); export const one = 'o' + both + early; export function late() { return one }`,
    'circle.mjs': `import { late } from './one.mjs'; export const early = typeof late`,
    'two.mjs': `import { both } from './both.mjs'; import { node } from './node.mjs'; export const two = 't' + both + node`,
    'node.mjs': `import { sep } from 'node:path'; export const node = sep`,
    'both.mjs': `say('both'); export const both = [1].length`,
  }
  for (const minify of [true, false]) {
    const text = await bundled(files, 'bun', minify)
    if (!minify) expect(text).not.toMatch(/function init_/)
    expect(await run(text, 4)).toEqual(['both', 'one', 'o1function', 't1/'])
  }
})

test('what fails when it is evaluated with its group does so at every import(), once evaluated', async () => {
  const files = {
    'package.json': `{"sideEffects":false}`,
    'main.mjs': `const t = () => import('./bad.mjs').catch((e) => { say(e.message); return e }); t().then(async (e) => { say(e === await t()); say((await import('./good.mjs')).good) })`,
    'bad.mjs': `import { both } from './both.mjs'; say('bad' + both); export const bad = 1; throw new Error('no')`,
    'good.mjs': `import { both } from './both.mjs'; export const good = 'g' + both`,
    'both.mjs': `export const both = 'B'`,
  }
  expect(await run(await bundled(files, 'bun', true), 5)).toEqual(['badB', 'no', 'no', 'true', 'gB'])
})

test('modules that may have an effect are evaluated in their order, and those imported with them', async () => {
  const files = {
    'package.json': `{"sideEffects":["./main.mjs","./sets.mjs"]}`,
    'pure/package.json': `{"sideEffects":false}`,
    'main.mjs': `import('./one.mjs').then(({ one }) => say(one))`,
    'one.mjs': `import './sets.mjs'; import { read } from './pure/read.mjs'; export const one = read`,
    'sets.mjs': `globalThis.isSet = 'set'`,
    'pure/read.mjs': `export const read = globalThis.isSet`,
  }
  expect(await run(await bundled(files, 'bun', true), 1)).toEqual(['set'])
})

test('what is evaluated at the start evaluates what it uses, too; a whole index is all of it', async () => {
  const files = {
    'package.json': `{"sideEffects":false}`,
    'main.mjs': `import { a } from './index.mjs'; say(a); import('./late.mjs').then(({ late }) => say(late))`,
    'late.mjs': `import * as all from './index.mjs'; export const late = Object.keys(all) + all.b`,
    'index.mjs': `export { a } from './a.mjs'; export { b } from './b.mjs'`,
    'a.mjs': `say('a'); export const a = 'A'`,
    'b.mjs': `say('b'); export const b = 'B'`,
  }
  expect(await run(await bundled(files, 'bun', true), 4)).toEqual(['a', 'A', 'b', 'a,bB'])
})

test('a module of bun is required, in the way that bun is quick at; one of Node that may not be there is asked for', async () => {
  const main = `import('./f.mjs').then(({ f, g }) => say(f(), g()))`
  const f = `export const f = () => typeof process.getBuiltinModule('bun:ffi').dlopen; export const g = () => process.getBuiltinModule('node:none')`
  const text = await bundled({ 'main.mjs': main, 'f.mjs': f }, 'bun', true)
  expect(text).toContain('require("bun:ffi")')
  expect(text).toContain('process.getBuiltinModule("node:none")')
  expect(await bundled({ 'main.mjs': main, 'f.mjs': f }, 'node', true)).toContain('process.getBuiltinModule("bun:ffi")')
})

test('modules that are evaluated together are one function, and what is evaluated at the start is none', async () => {
  const files = {
    'main.mjs': `import { first } from './first.mjs'; say(first); import('./late.mjs').then(({ late }) => say(late)); import('./other.mjs')`,
    'first.mjs': `import { always } from './always.mjs'; export const first = 'f' + always`,
    'always.mjs': `export const always = [1].length`,
    'late.mjs': `import { first } from './first.mjs'; import { inner } from './inner.mjs'; import { both } from './both.mjs'; export const late = first + inner + both`,
    'inner.mjs': `import { always } from './always.mjs'; import { most } from './most.mjs'; export const inner = [always, most].length`,
    'most.mjs': `export const most = [2].length`,
    'other.mjs': `import { both } from './both.mjs'; say(both)`,
    'both.mjs': `export const both = [3].length`,
  }
  const text = await bundled(files, 'bun', false)
  expect([...text.matchAll(/init_(\w+) = __done;/g)].map(([, name]) => name).sort()).toEqual(['both', 'late', 'other'])
  expect(await run(text, 3)).toEqual(['f1', '1', 'f121'])
})

test('all files that import members of a module of Node share one object for it', async () => {
  const files = {
    'main.mjs': `import { existsSync } from 'node:fs'; say(existsSync('/proc')); import('./late.mjs').then(({ late }) => say(late()))`,
    'late.mjs': `import { default as fs, statSync } from 'node:fs'; export const late = () => [statSync('/proc').isDirectory(), typeof fs.readSync].join()`,
  }
  for (const minify of [true, false]) {
    const text = await bundled(files, 'bun', minify)
    expect(text).not.toMatch(/__toESM\(require_node_fs/)
    expect(await run(text, 2)).toEqual(['true', 'true,function'])
  }
  expect(await bundled(files, 'node', false)).not.toContain('lazy-builtin')
})

test('the top level of a bundle is one array, where names are short', async () => {
  const files = {
    'main.mjs': `import { f } from './f.mjs'; say(f(1)); import('./late.mjs').then(({ late }) => say(late()))`,
    'f.mjs': `let n = 1; export function f(by) { n += by; return n }`,
    'late.mjs': `import { f } from './f.mjs'; export class Late {} export const late = () => [f(2), new Late() instanceof Late].join()`,
  }
  const text = await bundled(files, 'bun', true)
  // The array, and the script's own name for it.
  expect(topLevelNames(text)).toHaveLength(2)
  expect(await run(text, 2)).toEqual(['2', '4,true'])
  expect(topLevelNames(await bundled(files, 'bun', false)).length).toBeGreaterThan(3)
})

test('what could be used by a name in a text stays where it is', async () => {
  const files = {
    'main.mjs': `import('./f.mjs').then(({ f }) => say(f()))`,
    'f.mjs': `export function f() { return eval('g' + '()') } function g() { return 'g' }`,
  }
  const text = await bundled(files, 'bun', false)
  expect(topLevelNames(text)).toContain('f')
  expect(await run(text, 1)).toEqual(['g'])
})

test.each([
  ['a list that is nested too deep to be read', `${'['.repeat(3000)}${']'.repeat(3000)}`],
  ['a sum of ten thousand texts', `${`''+`.repeat(10_000)}''`],
])('%s is no reason to refuse a program', async (_, value) => {
  const files = {
    'main.mjs': `import('./f.mjs').then(({ f }) => say(f()))`,
    'f.mjs': `const v = ${value}; export const f = () => typeof v`,
  }
  expect(await run(await bundled(files, 'bun', false), 1)).toEqual([expect.stringMatching(/^(?:object|string)$/)])
})

test('a program without import() is left as it is', async () => {
  const text = await bundled(
    { 'main.mjs': `import { f } from './f.mjs'; f()`, 'f.mjs': `export function f() {}` },
    'bun',
    false,
  )
  expect(text).not.toContain('__load')
})

// internal

async function bundled(files: Files, runtime: 'bun' | 'node', minify: boolean): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'on-demand-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const { text } = await bundle({ entry: join(folder, 'main.mjs'), runtime, minify })
  return text
}

/** What a program says, until it has said so much and has nothing more to say. */
async function run(text: string, lines: number): Promise<string[]> {
  const said: string[] = []
  let enough = (): void => {}
  const complete = new Promise<void>((resolve) => {
    enough = resolve
  })
  const say = (...values: unknown[]): void => {
    said.push(values.map(String).join(' '))
    if (said.length === lines) setImmediate(enough)
  }
  // Whatever is in our environment: an executable would start anew without some of it.
  const clean = Object.create(process, { env: { value: {} } })
  const module = { exports: {} }
  new Function('module', 'exports', 'require', 'process', 'say', text)(
    module,
    module.exports,
    createRequire(import.meta.url),
    clean,
    say,
  )
  await complete
  return said
}

function topLevelNames(text: string): string[] {
  return parse(text, { ecmaVersion: 'latest', allowHashBang: true }).body.flatMap((statement) => {
    if (statement.type === 'FunctionDeclaration') return [statement.id.name]
    if (statement.type !== 'VariableDeclaration') return []
    return statement.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []))
  })
}

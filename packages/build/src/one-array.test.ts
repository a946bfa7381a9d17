import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { inOneArray } from './one-array.ts'
import { parseScript } from './script-tree.ts'

/** What a script says, as it is and with its top level in one array. */
function said(text: string): readonly unknown[] {
  const run = (script: string): readonly unknown[] => {
    const said: unknown[] = []
    runInNewContext(script, { say: (...values: unknown[]) => said.push(...values) })
    return said
  }
  const expected = run(text)
  expect(run(inOneArray(text))).toEqual(expected)
  return expected
}

/** The names that a script declares at its top level. */
function declared(text: string): readonly string[] {
  return (parseScript(text)?.body ?? []).flatMap((statement) => {
    if (statement.type === 'FunctionDeclaration') return [statement.id.name]
    if (statement.type !== 'VariableDeclaration') return []
    return statement.declarations.map(({ id }) => (id.type === 'Identifier' ? id.name : id.type))
  })
}

describe('what is at the top level of a script is an element', () => {
  test.each([
    ['functions, from the beginning', `say(a()); function a() { return b() } function b() { return 'b' }`],
    [
      'variables, which are undefined at first',
      `say(a, f()); var a = 1, b; say(a, f()); function f() { return typeof b }`,
    ],
    ['a value in parentheses, or of several', `var a = (1, 2), b = ((3)); var c = (() => a)(); say(a, b, c)`],
    ['what is counted and assigned', `var n = 1; n++; n += 2; n ??= 9; [n] = [n * 2]; ({ n } = { n: n + 1 }); say(n)`],
    ['a member that is short for both', `var a = 1; say({ a }.a); ({ a = 5 } = {}); say(a, { b: a, a: 2 }.a)`],
    [
      'a pattern with a default',
      `var d = 3; function f({ x = d, ...y }, [z = d] = []) { return [x, z, y.w] } say(...f({ w: 1 }))`,
    ],
    [
      'members of other things',
      `var a = { a: 1, b: { a: 2 } }; class C { a = 3; static b() { return a.a } } say(a.b.a, a['a'], new C().a, C.b())`,
    ],
    [
      'classes and what extends them',
      `var A = class { m() { return 'm' } }; var B = class extends A {}; say(new B().m(), new A() instanceof A)`,
    ],
    [
      'functions of all kinds',
      `function* g() { yield 1 } async function h() {} say([...g()].length, h() instanceof Promise, typeof h)`,
    ],
    [
      'labels and parameters of the same name',
      `function f(a) { a: for (;;) { break a } return a } say(f(2)); var a = 1; say(a)`,
    ],
    [
      'what is caught by the same name',
      `function error() { return 'E' } try { throw 1 } catch (error) { say(error) } say(error())`,
    ],
    [
      'a function that is called, and not as a method',
      `function f() { 'use strict'; return this } say(f(), (0, f)(), f?.(), f\`\`, f.call(3))`,
    ],
    ['a function that is made anew', `f = () => 2; function f() { return 1 } say(f())`],
    ['what a list or a loop declares', `var [p, q] = [1, 2]; for (var i = 0; i < 2; i++) say(i + p + q)`],
    ['what is no name here', `say(typeof nobody, Object.keys({}).length)`],
    [
      'a function with directives that uses several, and one in it',
      `function f() { 'use strict'; const g = () => { say(a, b, this); return a + b }; return [a, b, this, g()] } say(f()); var a = 1, b = 2`,
    ],
    ['an empty function, and one that uses one', `function f() {} function g() { return f } say(g() === f, f.length)`],
    ['a body that starts with a use', `function f() {a(b)} function a(v) { say(v) } var b = 1; f()`],
    [
      'parameters, which cannot see the body',
      `function f(x = a + b, y = () => a + b) { var x2 = a + b; return [x, y(), x2] } say(f()); var a = 1, b = 2; say(f())`,
    ],
    [
      'members of a class in a function, and what is computed in it',
      `function f() { a(b); return class { p = a(b); static { say(a(b)) } static [a(b)] = a(b); m() { return a(b) + a(b) } } } function a(v) { return v + 1 } var b = 1; const C = f(); say(new C().p, C[2], new C().m())`,
    ],
    [
      'generators and async functions, over several calls',
      `function* g() { yield a; yield b; yield* h() } function* h() { yield a + b } async function s() { await a; say(await b, a) } var a = 1, b = 2; say(...g()); s()`,
    ],
    [
      'variables and functions that change between two uses of them',
      `function f() { say(n, g()); n++; g = () => 'new'; say(n, g()) } var n = 1; function g() { return 'old' } f(); f()`,
    ],
  ])('%s', (_, text) => {
    said(text)
  })
})

test('nothing else is declared there, but what is declared twice', () => {
  const text = `'use strict'; function a() {} var b = 1, c; var [d] = []; function e(b) { return b }`
  expect(declared(inOneArray(text))).toEqual(['__top', '__own', 'b', 'ArrayPattern'])
  expect(inOneArray(text)).toMatch(/^\s*'use strict';/)
})

test.each([
  ['a name in a text', `function a() {} eval('a()')`],
  ['an object that names are looked up in', `var o = { a: 1 }; function a() {} with (o) say(a)`],
  ['something that cannot be read', `function a() {} ${'['.repeat(20_000)}${']'.repeat(20_000)}`],
])('where there is %s, all stays as it is', (_, text) => {
  expect(inOneArray(text)).toBe(text)
})

test('a name of the text is not that of the array', () => {
  expect(said(`var __top = 1; function f() { return __top } say(f())`)).toEqual([1])
  expect(said(`var a = 1; function f(__own) { return [a, a, __own] } say(f(2))`)).toEqual([[1, 1, 2]])
})

test('a function that uses several has the array as a variable of its own, which functions in it do not keep', () => {
  const text = inOneArray(`function f() { a(b); return () => a } function a() {} var b = 1`)
  expect(text.match(/var __own = __top;/g)).toHaveLength(2)
  expect(text).toContain('return () => __top[')
})

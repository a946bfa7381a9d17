import { readFileSync } from 'node:fs'
import * as esbuild from 'esbuild'
import { expect, test } from 'vitest'
import { isRuntimeVariable } from './prelude/runtime-variables.ts'
import { preludeDefine, readPrelude, withPrelude } from './prelude.ts'

const prelude = await readPrelude(esbuild)
const compose = (text: string) => withPrelude(esbuild, text, prelude, { minify: true, define: {} })

test('the prelude imports nothing and is short', async () => {
  const text = await compose('')
  expect(text).toContain('in process.env')
  expect(text).not.toMatch(/\brequire\s*\(|\bimport\s*[({"']/)
})

test.each([
  ['', 'f()'],
  ['"use strict";', 'f()'],
  ['"use strict";\n', 'f()\n'],
  ['#!/usr/bin/env node\n', 'f()'],
  ['#!/usr/bin/env node\n"use strict";\n', 'f()'],
])('the prelude follows %j and precedes all other code', async (first, rest) => {
  const text = await compose(first + rest)
  expect([text.startsWith(`${first}(()=>{`), text.endsWith(`})();\n(()=>{${rest}\n})();\n`)]).toEqual([true, true])
})

test('a compiled cni-build carries the same prelude as the source', () => {
  expect(JSON.parse(JSON.parse(preludeDefine(prelude).CNI_BUILD_PRELUDE))).toEqual(prelude)
})

test('the README lists the variables of the runtime', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const names = (text: string) => [...text.matchAll(/`(\w+)(\*?)`/g)].map(([, name = '', more = '']) => name + more)
  const listed = names(/^The variables are ([\s\S]*?)\n\n/m.exec(readme)?.[1] ?? '')
  expect(listed.length).toBeGreaterThan(10)
  expect(listed.filter((name) => !isRuntimeVariable(name.replace('*', 'X'), 'bun'))).toEqual(['BUN_INSTALL*'])
})

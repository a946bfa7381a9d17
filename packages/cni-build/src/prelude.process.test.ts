import { readFileSync } from 'node:fs'
import * as esbuild from 'esbuild'
import { expect, test } from 'vitest'
import { isRuntimeVariable } from './prelude/runtime-variables.ts'
import { preludeDefine, readPrelude, withPrelude } from './prelude.ts'

const prelude = await readPrelude(esbuild)
const compose = (text: string) => withPrelude(esbuild, text, prelude, { minify: true, define: {} })

test('it imports nothing: what every start pays for is its own few lines', async () => {
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
])('it comes behind %j, and before all else', async (first, rest) => {
  const text = await compose(first + rest)
  expect([text.startsWith(`${first}(()=>{`), text.endsWith(`})();\n(()=>{${rest}\n})();\n`)]).toEqual([true, true])
})

test('it is the same from the source that cni-build carries when it is an executable itself', () => {
  expect(JSON.parse(JSON.parse(preludeDefine(prelude).CNI_BUILD_PRELUDE))).toEqual(prelude)
})

test('the README names the variables that count', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const names = (text: string) => [...text.matchAll(/`(\w+)(\*?)`/g)].map(([, name = '', more = '']) => name + more)
  const listed = names(/^Those are ([\s\S]*?)\n\n/m.exec(readme)?.[1] ?? '')
  expect(listed.length).toBeGreaterThan(10)
  expect(listed.filter((name) => !isRuntimeVariable(name.replace('*', 'X'), 'bun'))).toEqual(['BUN_INSTALL*'])
})

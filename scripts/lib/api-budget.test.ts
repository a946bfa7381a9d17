import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { budgetProblems } from './api-budget.ts'
import { apiOf } from './public-api.ts'

const folder = mkdtempSync(join(tmpdir(), 'api-budget-'))
afterAll(() => rmSync(folder, { recursive: true }))

const declarations = {
  'index.d.ts': `
declare const brand: unique symbol;
declare class Failure { readonly [brand]: true; readonly code: string }
interface Hidden { readonly a: string }
interface Options { readonly deep: Hidden }
declare const netns: { readonly open: (path: string) => void; readonly run: (options: Options) => void };
declare const levels: readonly ['debug', 'info'];
declare const word = "a";
interface Codec { readonly size: number; read(): void }
declare const u8: Codec;
declare const u16: Codec;
declare function read(options: Options): string;
export { Failure, netns, levels, word, read, u8, u16, type Codec, type Options };
export * as tools from './tools.js';
`,
  'tools.d.ts': 'export declare function one(): void;\nexport declare function two(): void;\n',
}
for (const [name, text] of Object.entries(declarations)) writeFileSync(join(folder, name), text)

const entry = (name: string) => ({ subpath: `@x/${name}`, file: join(folder, `${name}.d.ts`) })
const { entries, hidden } = apiOf([entry('index'), entry('tools')])

test('every export counts, and so do the members of objects and namespaces', () => {
  const own = ['Failure', 'netns', 'levels', 'word', 'read', 'u8', 'u16', 'Codec', 'Options', 'tools']
  const members = ['netns.open', 'netns.run', 'u8.size', 'u8.read', 'tools.one', 'tools.two']
  expect(entries).toEqual([
    { specifier: '@x/index', names: own.length + members.length },
    { specifier: '@x/tools', names: 2 },
  ])
})

test('a type in a signature without an export counts as hidden, the brand of a class does not', () => {
  expect(hidden).toEqual(['Hidden'])
})

test('an entry over its budget, an unlisted entry, a hidden type and a removed entry give one message each', () => {
  const counts = [{ package: '@x/index', entries, hidden }]
  const names = { '@x/index': 10, '@x/gone': 1 }
  expect(budgetProblems(counts, { names, hidden: {} })).toEqual([
    '@x/index offers 16 names, its budget is 10: raise it in api/budget.json by hand.',
    '@x/tools offers 2 names and has no budget: add it to api/budget.json by hand.',
    '@x/index needs 1 types that it does not export, its budget is 0: export them (Hidden).',
    '@x/gone is in api/budget.json, and no package has this entry.',
  ])
})

test('a budget may be larger than needed', () => {
  const counts = [{ package: '@x/index', entries, hidden }]
  const names = { '@x/index': 20, '@x/tools': 2 }
  expect(budgetProblems(counts, { names, hidden: { '@x/index': 1 } })).toEqual([])
})

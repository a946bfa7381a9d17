import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

/** Code without comments, `export`, blank lines and the order of imports. */
const essence = (code: string): string[] =>
  code
    .replaceAll(/\/\*\*[\s\S]*?\*\//g, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('import '))
    .map((line) => line.replace(/^export /, ''))

it('the README contains this plugin', () => {
  const [, block = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(read('../../../README.md')) ?? []
  expect(essence(block)).toEqual([...essence(read('plugin.ts')), ...essence(read('main.ts'))])
})

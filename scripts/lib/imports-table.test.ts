import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as classic from 'zod'
import * as z from 'zod/mini'
import { root } from './exec.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const page = read('docs/imports.md')

/** The lines of the table whose head holds a text. */
function tableOf(text: string, head: string): readonly string[] {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.startsWith('|') && line.includes(head))
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'))
  return start === -1 ? [] : lines.slice(start, end)
}

/** Exports of each entry, from the record of the public API. */
const exported = new Map<string, readonly string[]>()
for (const file of readdirSync(join(root, 'api'))) {
  for (const section of read(`api/${file}`)
    .split(/^## (?=@)/m)
    .slice(1)) {
    const names = section.split(/^## Needed/m)[0]?.matchAll(/^(?:export|function|const|class|interface|type) (\w+)/gm)
    exported.set(
      section.slice(0, section.indexOf('\n')),
      [...(names ?? [])].map(([, name = '']) => name),
    )
  }
}

test('every name of the table is exported by the entry beside it', () => {
  expect(tableOf(page, 'I want to').length).toBeGreaterThan(20)
  for (const row of tableOf(page, 'I want to').slice(2)) {
    const [, , names = '', from = ''] = row.split('|')
    const entry = from.replaceAll(/[`\s]/g, '')
    const wanted = [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
    expect(wanted, row).not.toEqual([])
    expect(exported.get(entry) ?? [], row).toEqual(expect.arrayContaining(wanted))
  }
})

test('every package is in the table', () => {
  const packages = new Set([...exported.keys()].map((entry) => entry.split('/').slice(0, 2).join('/')))
  const inTable = tableOf(page, 'I want to').join('\n')
  // Programs and what is in their files: authors import neither.
  const others = [...packages].filter((name) => !/^@cni\/(?:istio-redirect|istio-node-level|runtime)/.test(name))
  for (const name of others) expect(inTable).toContain(`\`${name}`)
})

test('every function of the tables about zod exists', () => {
  for (const row of tableOf(page, 'classic `zod`').slice(2)) {
    const [, old = '', mini = ''] = row.split('|')
    for (const [, name = ''] of mini.matchAll(/\bz\.(\w+)/g)) expect(Object.keys(z), row).toContain(name)
    for (const [, name = ''] of old.matchAll(/\bz\.(\w+)/g)) expect(Object.keys(classic), row).toContain(name)
  }
})

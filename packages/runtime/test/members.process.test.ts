import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { globals, modules } from '../src/members.ts'
import { DOCUMENT, documentText, readMembers } from './member-table.ts'

const load = createRequire(import.meta.url)

describe('The table of members', () => {
  it('matches the exports of the sources', async () => {
    expect({ modules, globals }, 'run packages/runtime/test/write-members.ts').toEqual(await readMembers())
  })

  it('matches the document', async () => {
    const document = readFileSync(DOCUMENT, 'utf8')
    expect(document, 'run packages/runtime/test/write-members.ts').toBe(documentText(await readMembers(), document))
  })

  it('contains only names that Node has', () => {
    const unknown = Object.entries(modules).flatMap(([name, names]) =>
      names.filter((one) => !(one in load(name))).map((one) => `${name} ${one}`),
    )
    expect([...unknown, ...globals.filter((name) => !(name in globalThis))]).toEqual([])
  })
})

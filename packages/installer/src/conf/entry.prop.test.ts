import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasEntry, insertEntry, removeEntry } from './entry.ts'

const members = fc.dictionary(
  fc.string({ unit: 'binary' }).filter((key) => !['type', 'plugins', 'name', 'cniVersion'].includes(key)),
  fc.jsonValue({ maxDepth: 4 }),
)
const other = fc.record({ type: fc.stringMatching(/^[a-z]{1,9}$/).filter((type) => type !== 'mesh'), more: members })
const foreign = fc
  .record({
    name: fc.string(),
    plugins: fc.array(other, { minLength: 1, maxLength: 4 }),
    more: members,
    indent: fc.constantFrom(0, 1, 2, '\t'),
    newline: fc.constantFrom('\n', '\r\n'),
  })
  .map(({ name, plugins, more, indent, newline }) =>
    JSON.stringify({ name, plugins: plugins.map((one) => ({ ...one.more, type: one.type })), ...more }, null, indent)
      .replaceAll('\n', newline)
      .concat(newline),
  )
const entry = members.map((more) => ({ ...more, type: 'mesh' }))

test("insertion and removal keep other programs' configuration byte for byte", () => {
  fc.assert(
    fc.property(foreign, entry, (text, plugin) => {
      const inserted = insertEntry(text, plugin)
      expect(hasEntry(inserted, plugin)).toBe(true)
      expect(insertEntry(inserted, plugin)).toBe(inserted)
      expect(removeEntry(inserted, 'mesh')).toBe(text)
      expect(removeEntry(insertEntry(inserted, { type: 'mesh' }), 'mesh')).toBe(text)
    }),
    { numRuns: Number(process.env.CNI_PROPERTY_RUNS ?? 100) },
  )
})

test('any text is edited or rejected', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), foreign), (text) => {
      try {
        expect(hasEntry(insertEntry(text, { type: 'mesh' }), { type: 'mesh' })).toBe(true)
      } catch (error) {
        expect(error).toMatchObject({ code: 'INVALID_CONFIG' })
      }
    }),
    { numRuns: Number(process.env.CNI_PROPERTY_RUNS ?? 100) },
  )
})

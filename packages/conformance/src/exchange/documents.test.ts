import { describe, expect, test } from 'vitest'
import { isErrorDocument, onlyDocument, readStdout } from './documents.ts'

describe('stdout', () => {
  test.each([
    ['', [], ''],
    ['{"a":1}\n', [{ a: 1 }], ''],
    ['{"a":"}{"}', [{ a: '}{' }], ''],
    ['{"a":1}{"b":[2]}', [{ a: 1 }, { b: [2] }], ''],
    ['log: start\n{"a":1}', [{ a: 1 }], 'log: start'],
    ['[info] done {"a":1}', [{ a: 1 }], '[info] done'],
    ['{"a":', [], '{"a":'],
    ['null', [null], ''],
    ['5\n', [5], ''],
  ])('%j is split into documents and noise', (text, documents, noise) => {
    expect(readStdout(text)).toEqual({ documents, noise })
  })

  test.each(['', '[]', '{}{}', 'log {}', '{} log'])('%j is not one document', (text) => {
    expect(onlyDocument(text)).toBeUndefined()
  })

  test('an error has a code and a msg of any type', () => {
    expect(isErrorDocument({ code: '7', msg: '' })).toBe(true)
    expect(isErrorDocument({ cniVersion: '1.0.0', ips: [] })).toBe(false)
  })
})

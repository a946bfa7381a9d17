import { expect, test } from 'vitest'
import { assertContainerID, assertIfName, assertNetworkName, isContainerID, isNetworkName } from './validate.ts'

test.each(['A._-', '0', 'some-container-id', 'x'.repeat(300)])(
  '%j is a valid container id and network name',
  (value) => {
    expect(() => assertContainerID(value)).not.toThrow()
    expect(() => assertNetworkName(value)).not.toThrow()
  },
)

test.each(['.a', '-a', '_a', 'abc\n', 'some-%%x', 'é', 'a b', '\ufffd'])(
  '%j is not a valid container id or network name',
  (value) => {
    expect(() => assertContainerID(value)).toThrow(
      expect.objectContaining({ code: 4, message: 'invalid characters in containerID', details: value }),
    )
    expect(() => assertNetworkName(value)).toThrow(
      expect.objectContaining({ code: 7, message: 'invalid characters found in network name', details: value }),
    )
  },
)

test('an empty container id has code 3, an empty network name code 7', () => {
  expect(() => assertContainerID('')).toThrow(expect.objectContaining({ code: 3, message: 'missing containerID' }))
  expect(() => assertNetworkName('')).toThrow(expect.objectContaining({ code: 7, message: 'missing network name:' }))
})

test.each(['eth0', 'a'.repeat(15), '%', '😀', 'ééééééé', '...', '\ufeffa'])('%j is a valid interface name', (value) => {
  expect(() => assertIfName(value)).not.toThrow()
})

test.each([
  ['', 'interface name is empty', undefined],
  ['1234567890123456', 'interface name is too long', 'interface name should be less than 16 characters'],
  ['éééééééé', 'interface name is too long', 'interface name should be less than 16 characters'],
  ['.', 'interface name is . or ..', undefined],
  ['..', 'interface name is . or ..', undefined],
  ['test/test', 'interface name contains / or : or whitespace characters', undefined],
  ['test:test', 'interface name contains / or : or whitespace characters', undefined],
  ['test test', 'interface name contains / or : or whitespace characters', undefined],
  ['a\tb', 'interface name contains / or : or whitespace characters', undefined],
  ['a\u0085b', 'interface name contains / or : or whitespace characters', undefined],
  ['a\u00a0b', 'interface name contains / or : or whitespace characters', undefined],
  ['a/b'.repeat(9), 'interface name is too long', 'interface name should be less than 16 characters'],
])('%j is not a valid interface name: %s', (value, message, details) => {
  expect(() => assertIfName(value)).toThrow(
    expect.objectContaining({ code: 4, message, ...(details ? { details } : {}) }),
  )
})

test.each([[undefined], [null], [5], [['eth0']]])('%j is not a string and is rejected as any name', (value) => {
  // A JavaScript caller may pass such a value.
  const given = value as unknown as string
  expect([isContainerID(given), isNetworkName(given)]).toEqual([false, false])
  expect(() => assertContainerID(given)).toThrow(
    expect.objectContaining({ code: 4, message: expect.stringMatching('^containerID: expected a string, got ') }),
  )
  expect(() => assertNetworkName(given)).toThrow(
    expect.objectContaining({ code: 7, message: expect.stringMatching('^network name: expected a string, got ') }),
  )
  expect(() => assertIfName(given)).toThrow(
    expect.objectContaining({ code: 4, message: expect.stringMatching('^interface name: expected a string, got ') }),
  )
})

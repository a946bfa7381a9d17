import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isNetnsError, NetnsError } from './netns-error.ts'
import { current, open } from './open.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cni-netns-test-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const code = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    if (isNetnsError(error)) return error.code
    throw error
  }
  return 'none'
}

test('two handles of one namespace by different paths are the same', () => {
  using mine = open('/proc/self/ns/net')
  using again = open(`/proc/${process.pid}/ns/net`)
  using here = current()
  expect(mine.fd).toBeGreaterThan(2)
  expect(mine.isSame(again)).toBe(true)
  expect(mine.isSame(here)).toBe(true)
  expect(mine.ino).toBeTypeOf('bigint')
})

test('a missing path is NOT_FOUND, and the message names it', () => {
  expect(() => open('/run/netns/gone')).toThrow(
    expect.objectContaining({
      name: 'NetnsError',
      code: 'NOT_FOUND',
      path: '/run/netns/gone',
      message: 'No network namespace at "/run/netns/gone": it does not exist',
    }),
  )
  expect(code(() => open('/proc/4194999/ns/net'))).toBe('NOT_FOUND')
})

test('a missing argument is MISSING', () => {
  expect(code(() => open(''))).toBe('MISSING')
  // @ts-expect-error JavaScript callers may pass this.
  expect(code(() => open(undefined))).toBe('MISSING')
})

test('a path with a NUL is INVALID', () => {
  expect(code(() => open('/run/netns/a\0b'))).toBe('INVALID')
})

test('any other file is NOT_A_NAMESPACE', () => {
  const file = join(folder, 'net:[4026531840]')
  writeFileSync(file, '')
  for (const path of ['/etc/passwd', '/proc/self/status', '/', '/dev/null', file]) {
    expect(
      code(() => open(path)),
      path,
    ).toBe('NOT_A_NAMESPACE')
  }
})

test.each(['mnt', 'pid', 'user', 'uts', 'ipc', 'cgroup'])(
  'a %s namespace is NOT_A_NAMESPACE, and the message names its kind',
  (kind) => {
    expect(() => open(`/proc/self/ns/${kind}`)).toThrow(
      expect.objectContaining({ code: 'NOT_A_NAMESPACE', message: expect.stringContaining(`a ${kind} namespace`) }),
    )
  },
)

test('other failures keep their errno and cause', () => {
  expect(() => open('/etc/passwd/net')).toThrow(
    expect.objectContaining({ code: 'ENOTDIR', cause: expect.objectContaining({ code: 'ENOTDIR' }) }),
  )
})

test('a closed handle throws CLOSED, can still be compared, and can be closed again', () => {
  const mine = current()
  mine.close()
  mine.close()
  expect(code(() => mine.fd)).toBe('CLOSED')
  using other = current()
  expect(mine.isSame(other)).toBe(true)
})

test('open leaks no descriptor, whether it succeeds or fails', () => {
  const count = () => readdirSync('/proc/self/fd').length
  const before = count()
  for (let i = 0; i < 20; i++) {
    current().close()
    for (const path of ['/etc/passwd', '/proc/self/ns/mnt', '/nope']) code(() => open(path))
  }
  expect(count()).toBe(before)
})

test('isNetnsError recognises an error of another copy of the package', () => {
  expect(isNetnsError(new NetnsError('MISSING', 'x'))).toBe(true)
  expect(isNetnsError(Object.assign(new Error('x'), { [Symbol.for('cni.NetnsError')]: true }))).toBe(true)
  expect(isNetnsError(new Error('x'))).toBe(false)
})

import { expect, test } from 'vitest'
import { errnoName, type Libc, sysOver } from './libc.ts'

const failing = (errno: number): Libc => {
  const minusOne = () => -1
  const names = [
    'setns',
    'unshare',
    'mount',
    'umount2',
    'fcntl',
    'dup2',
    'fchdir',
    'chroot',
    'flock',
    'socket',
  ] as const
  const more = ['bind', 'sendto', 'recv', 'setsockopt', 'ioctl'] as const
  const functions = Object.fromEntries([...names, ...more].map((name) => [name, minusOne]))
  return { ...(functions as unknown as Libc), errno: () => errno }
}

test('every call that fails throws with its errno, its name and its arguments', () => {
  const sys = sysOver('koffi', failing(1))
  expect(() => sys.setns(7, 0)).toThrow(
    expect.objectContaining({ name: 'SysError', code: 'EPERM', errno: 1, syscall: 'setns', message: 'setns 7: EPERM' }),
  )
  expect(() => sys.mount('/dev/null', '/etc/x', null, 0, null)).toThrow('mount /dev/null on /etc/x: EPERM')
  const one = new Uint8Array(1)
  for (const call of [
    () => sys.unshare(0),
    () => sys.umount2('/', 0),
    () => sys.dup(0),
    () => sys.dup2(0, 1),
    () => sys.fchdir(0),
    () => sys.chroot('/'),
    () => sys.flock(0, 0),
    () => sys.socket(0, 0, 0),
    () => sys.bind(0, one),
    () => sys.sendto(0, one, 0),
    () => sys.recv(0, one, 0),
    () => sys.setsockopt(0, 0, 0, one),
    () => sys.ioctl(0, 0, one),
  ]) {
    expect(call).toThrow(expect.objectContaining({ code: 'EPERM' }))
  }
})

test('text with a NUL is refused: C would act on another file', () => {
  expect(() => sysOver('koffi', failing(1)).umount2('/a\0b', 0)).toThrow(TypeError)
})

test('an errno has its usual name, and an unknown one its number', () => {
  const names = ['EPERM', 'ENOENT', 'EAGAIN', 'EEXIST', 'EOPNOTSUPP', 'ETIMEDOUT']
  expect([1, 2, 11, 17, 95, 110].map(errnoName)).toEqual(names)
  expect(errnoName(9999)).toBe('ERRNO_9999')
})

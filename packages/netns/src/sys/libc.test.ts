import { expect, test } from 'vitest'
import { type Libc, sysFrom } from './libc.ts'

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
  const more = [
    'socketpair',
    'sendmsg',
    'bind',
    'connect',
    'sendto',
    'recvfrom',
    'setsockopt',
    'ioctl',
    'sigprocmask',
    'execve',
  ] as const
  const functions = Object.fromEntries([...names, ...more].map((name) => [name, minusOne]))
  const libc = functions as unknown as Libc
  return { ...libc, addressOf: () => 4096, errno: () => errno }
}

test('every failing call throws its errno, its name and its arguments', () => {
  const sys = sysFrom('koffi', failing(1))
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
    () => sys.socketpair(1),
    () => sys.sendDescriptors(0, [1, 2]),
    () => sys.bind(0, one),
    () => sys.connect(0, one),
    () => sys.sendto(0, one, 0),
    () => sys.recv(0, one, 0),
    () => sys.setsockopt(0, 0, 0, one),
    () => sys.ioctl(0, 0, one),
    () => sys.execve('/x', [one.subarray(1)], []),
  ]) {
    expect(call).toThrow(expect.objectContaining({ code: 'EPERM' }))
  }
})

test('text with a NUL is refused: C would act on another file', () => {
  const sys = sysFrom('koffi', failing(1))
  expect(() => sys.umount2('/a\0b', 0)).toThrow(TypeError)
  expect(() => sys.execve('/x', [Buffer.from('a\0b')], [])).toThrow('"a\\u0000b" contains a NUL')
})

test('arguments and environment are arrays of C strings with a null pointer at the end', () => {
  const found: string[][] = []
  const start = 0x7fff_0000_1000n
  const strings = (block: Uint8Array | null): string[] => {
    const bytes = Buffer.from(block ?? [])
    const texts: string[] = []
    for (let at = 0; bytes.readBigUInt64LE(at) !== 0n; at += 8) {
      const from = Number(bytes.readBigUInt64LE(at) - start)
      texts.push(bytes.subarray(from, bytes.indexOf(0, from)).toString('latin1'))
    }
    return texts
  }
  const libc: Libc = {
    ...failing(7),
    addressOf: () => start,
    execve: (_, args, env) => {
      found.push(strings(args), strings(env))
      return -1
    },
  }
  const bytes = (...texts: string[]) => texts.map((text) => Buffer.from(text, 'latin1'))
  expect(() => sysFrom('bun:ffi', libc).execve('/x', bytes('argv0', '', '\xff'), bytes())).toThrow('execve /x: E2BIG')
  expect(found).toEqual([['argv0', '', '\xff'], []])
})

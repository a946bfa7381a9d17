import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { start } from '@cni/host'
import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleFixture, compile, fixture, runtimes } from './runtimes.ts'

let bundle: Awaited<ReturnType<typeof bundleFixture>>
beforeAll(async () => {
  bundle = await bundleFixture()
})
afterAll(() => bundle.remove())

const { node26, oldNode, bun } = runtimes

describe.each([
  ['bun:ffi on bun', bun, 'sys', 'bun:ffi'],
  ['node:ffi on the pinned Node', node26, 'sys', 'node:ffi'],
  ['koffi on an older Node', oldNode, 'sys', 'koffi'],
  ['koffi on the pinned Node', node26, 'koffi', 'koffi'],
] as const)('%s', (_, runtime, what, name) => {
  test('conforms to the Sys port', async () => {
    const { report, stderr } = await fixture(runtime, bundle.cjs, what)
    expect(report).toEqual({ name, cases: expected })
    expect(stderr).toBe('')
  })
})

test.each([
  ['bun:ffi', bun],
  ['node:ffi', node26],
  ['koffi', oldNode],
])('execve through %s replaces the program: same id, same bytes, stdin unread, signal blocked', async (_, runtime) => {
  const { done, pid } = start([runtime, bundle.cjs, 'execve'], { input: 'stdin' })
  // Output of `cat -v` for \xff and \xfe.
  expect((await done).stdout).toBe(`${pid}|argv0||M-^?|M-~|SigBlk:\t0000000020000000|stdin`)
})

test.each([
  ['bun:ffi', bun],
  ['node:ffi', node26],
  ['koffi', oldNode],
])('unix sockets carry messages and descriptors between processes through %s', async (ffi, runtime) => {
  expect(await fixture(runtime, bundle.cjs, 'unix')).toEqual({ report: { ...expectedUnix, ffi }, stderr: '' })
})

test('an ES module finds koffi as well', async () => {
  expect((await fixture(oldNode, bundle.esm, 'sys')).report).toMatchObject({ name: 'koffi' })
})

test('an executable with bun behaves the same, without koffi and Node.js', async () => {
  const executable = await compile(dirname(bundle.cjs), 'bun')
  expect((await fixture(executable, 'sys')).report).toEqual({ name: 'bun:ffi', cases: expected })
  expect((await fixture(executable, 'namespaces')).report).toEqual(expectedNamespaces)
  expect((await fixture(executable, 'unix')).report).toEqual({ ...expectedUnix, ffi: 'bun:ffi' })
})

test('an executable with the small runtime conforms to the Sys port', async () => {
  const entry = join(import.meta.dirname, 'fixtures/sys-small.ts')
  const { report } = await fixture(await compile(dirname(bundle.cjs), 'small', entry))
  // The case starts programs with spawnSync, which the small runtime lacks.
  const without = {
    'dup is not inherited, dup2 is, and both are the same file': expect.stringContaining('not a function'),
  }
  expect(report).toEqual({ name: 'cni:host', cases: { ...expected, ...without } })
})

describe.each([
  ['bun', bun],
  ['the pinned Node', node26],
  ['an older Node', oldNode],
])('on %s', (_, runtime) => {
  test('namespaces can be created, entered, left, shielded, configured and removed', async () => {
    expect((await fixture(runtime, bundle.cjs, 'namespaces')).report).toEqual(expectedNamespaces)
  })

  test('a warm pool stays on the host', async () => {
    await using pod = await tempNetns()
    expect((await fixture(runtime, bundle.cjs, 'warm-pool', pod.path)).report).toEqual({ laterOnHost: 16 })
  })
})

test.each([
  ['the pinned Node', node26],
  ['an older Node', oldNode],
])('a pool created inside a pod stays there (%s)', async (_, runtime) => {
  await using pod = await tempNetns()
  expect((await fixture(runtime, bundle.cjs, 'cold-pool', pod.path)).report).toEqual({ laterOnHost: 0 })
})

test('loading node:ffi prints no warning and suppresses no other', async () => {
  const { stderr } = await fixture(node26, bundle.cjs, 'warnings')
  expect(stderr).toContain('ExperimentalWarning: before')
  expect(stderr).toContain('Warning: after')
  expect(stderr).not.toContain('FFI')
})

test('without FFI rtnetlink uses the package netlink, only in the namespace of the process', async () => {
  await using pod = await tempNetns()
  const folder = mkdtempSync(join(tmpdir(), 'cni-netns-test-'))
  try {
    // Folder in which netlink resolves, but koffi does not.
    const file = join(folder, 'main.cjs')
    copyFileSync(bundle.cjs, file)
    const inside = () => netns.exec(pod, [oldNode, file, 'rtnl-without-ffi', pod.path], { env: {}, timeout: 20_000 })
    expect(JSON.parse((await inside()).stdout)).toEqual({ opened: expect.stringMatching(/install the package koffi/) })

    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(join(import.meta.dirname, '../node_modules/netlink'), join(folder, 'node_modules/netlink'))
    expect(JSON.parse((await inside()).stdout)).toEqual({
      links: [lo],
      added: [{ added: true }, { added: false }],
      link: expect.objectContaining({ name: 'b0', kind: 'bridge', up: true }),
      missing: 'none',
      addresses: ['10.1.0.1/24'],
      routes: [{ added: true }, { added: false }, { deleted: true }, { deleted: false }],
      together: [1, 2, 3],
      refused: ['NetnsError', 'ENETUNREACH', 'Add route "10.9.0.0/16": ENETUNREACH'],
      unknown: ['NetnsError', 'ENODEV', 'Set link "eth7" up: ENODEV'],
      invalid: ['NetnsError', 'INVALID', expect.stringContaining('Not an interface name')],
      elsewhere: ['NetnsError', 'NO_FFI', expect.stringContaining('koffi')],
      closed: ['NetnsError', 'CLOSED', 'List links: the netlink socket is closed'],
    })

    rmSync(join(folder, 'node_modules/netlink'))
    mkdirSync(join(folder, 'node_modules/netlink'))
    writeFileSync(join(folder, 'node_modules/netlink/index.js'), 'throw new Error("no build for this machine")')
    expect(JSON.parse((await inside()).stdout)).toEqual({
      opened: expect.stringMatching(/koffi.*the package netlink failed to load: no build for this machine/),
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('without FFI programs start through nsenter, and other functions say what to install', async () => {
  await using pod = await tempNetns()
  // Folder outside the package's node_modules, in which koffi does not resolve.
  const folder = mkdtempSync(join(tmpdir(), 'cni-netns-test-'))
  try {
    const file = join(folder, 'main.cjs')
    copyFileSync(bundle.cjs, file)
    const { report } = await fixture(oldNode, file, 'without-ffi', pod.path)
    expect(report).toEqual({
      run: expect.stringMatching(/^NetnsError: No system calls .*install the package koffi/),
      inside: true,
      shieldErrors: [expect.stringContaining('koffi')],
      missing: 'NOT_FOUND',
      // The heading without connections, and a missing file (JSON has no undefined).
      read: [2, null],
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

const lo = expect.objectContaining({ index: 1, name: 'lo', mac: '00:00:00:00:00:00', loopback: true })

const expectedNamespaces = {
  run: [[true, ['lo'], [true, [], true], true], true],
  child: true,
  startedInside: true,
  thrown: [true, false],
  shield: [['ours', `ours\n${process.cwd()}\nread-only\n`], true, true, true, true],
  links: [['lo', true]],
  rule: [{ added: true }, 4],
  netlink: [[], [{ index: 1, errno: 2, code: 'ENOENT', offset: 28 }], true],
  created: [true, true, []],
  after: [true, true, 0],
}

const expectedUnix = {
  messages: [true, 10_000, 10_000, [0, 'true']],
  namespace: ['mine', [0, '"seen"']],
  killed: [1, 'SIGKILL'],
  'few descriptors': [true, true, [0, ' ["EMFILE"]']],
  'a signal during a flood': [0, '200'],
  left: 0,
}

const expected = {
  'failures are told by errno name and syscall': [
    'setns EBADF',
    'setns EINVAL',
    'unshare EINVAL',
    'mount ENOENT',
    'mount ENODEV',
    'umount2 ENOENT',
    'dup EBADF',
    'dup2 EBADF',
    'fchdir EBADF',
    'chroot ENOENT',
    'flock EBADF',
    'socket EAFNOSUPPORT',
    'bind EBADF',
    'sendto EBADF',
    'recv EBADF',
    'setsockopt EBADF',
    'bpf EINVAL',
    'ioctl EBADF',
  ],
  // Two heading lines, lo, and the end.
  'unshare enters a new network namespace, setns comes back': [4, true],
  'a mount in a private mount namespace is seen there only, and can be unmounted': [true, true, true],
  'dup is not inherited, dup2 is, and both are the same file': [[true, true, false], 'ours child\n'],
  'fchdir and chroot go there, and back': [true, true, false, true],
  'flock keeps others out': ['flock EAGAIN', 'success'],
  'datagrams are sent to an address and received whole with their sender, cut or not at all': [
    5,
    [5, 0, 0, 0],
    5,
    'hello',
    '\x01\0\0cni-',
    12,
    'recv EAGAIN',
  ],
  'setsockopt reads its value': ['setsockopt ENOPROTOOPT', 'setsockopt ENOPROTOOPT'],
  'execve that fails blocks no signal': ['execve ENOENT', true],
  'ioctl tells the kind of a namespace': true,
  // The value, no address left in the attribute, and the reported part of the map: sizes of key and value, and its
  // entries.
  'bpf reads and writes what its attribute points to': [
    [8, 7, 6, 5, 4, 3, 2, 1],
    false,
    true,
    [4, 0, 0, 0, 8, 0, 0, 0, 2],
    'bpf ENOENT',
  ],
}

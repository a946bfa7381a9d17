import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { run, start } from '@cni/host'
import { netns, openRtnl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { NODE_FLAGS } from '../../../test/node.ts'

const here = () => readlinkSync('/proc/thread-self/ns/net')
const before = here()
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cni-netns-test-'))
})
afterEach(() => {
  for (const name of readdirSync(folder)) {
    if (statSync(join(folder, name)).dev !== statSync(folder).dev) execFileSync('umount', [join(folder, name)])
  }
  // create makes the folder a mount point.
  if (execFileSync('cat', ['/proc/self/mountinfo'], { encoding: 'utf8' }).includes(` ${folder} `)) {
    execFileSync('umount', [folder])
  }
  rmSync(folder, { recursive: true })
  expect(here()).toBe(before)
})

test('a created namespace is empty and can be entered, and the caller stays in its namespace', () => {
  using blue = netns.create('blue', { dir: folder })
  expect(here()).toBe(before)
  expect(blue.path).toBe(join(folder, 'blue'))
  expect(netns.run(blue, () => Object.keys(networkInterfaces()))).toEqual([])
  expect(readlinkSync('/proc/self/ns/net')).not.toBe(`net:[${blue.ino}]`)
})

test('`ip netns` finds names in the default folder, and open finds names of `ip netns`', async () => {
  const name = `cni-test-${process.pid}`
  using ours = netns.create(name)
  try {
    const { stdout } = await run(['ip', 'netns', 'exec', name, 'readlink', '/proc/self/ns/net'])
    expect(stdout).toBe(`net:[${ours.ino}]\n`)
    expect((await run(['ip', 'netns', 'list'])).stdout).toContain(name)
  } finally {
    netns.destroy(ours)
  }
  expect((await run(['ip', 'netns', 'list'])).stdout).not.toContain(name)

  await run(['ip', 'netns', 'add', name])
  using theirs = netns.open(`/run/netns/${name}`)
  // Does not compare the number with the created namespace: the kernel may reuse the number of a removed namespace.
  const { stdout } = await run(['ip', 'netns', 'exec', name, 'readlink', '/proc/self/ns/net'])
  expect(stdout).toBe(`net:[${theirs.ino}]\n`)
  netns.destroy(theirs)
  expect(existsSync(`/run/netns/${name}`)).toBe(false)
})

test('the folder is shared: an existing mount namespace sees names appear and disappear', async () => {
  netns.destroy(netns.create('first', { dir: folder }))
  const child = start(['unshare', '--mount', '--propagation', 'slave', 'sleep', '60'], {
    timeout: 20_000,
  })
  await ready(child.pid)
  const seen = () =>
    run(['nsenter', `--mount=/proc/${child.pid}/ns/mnt`, 'stat', '-f', '-c', '%T', join(folder, 'blue')], {
      reject: false,
    })
  using blue = netns.create('blue', { dir: folder })
  expect((await seen()).stdout).toBe('nsfs\n')
  netns.destroy(blue)
  expect((await seen()).exitCode).toBe(1)
  child.kill('SIGKILL')
  await child.done.catch(() => {})
})

/** Waits until a child has a mount namespace of its own, with a limit. */
async function ready(pid: number | undefined): Promise<void> {
  const ours = readlinkSync('/proc/self/ns/mnt')
  for (const end = performance.now() + 5000; performance.now() < end; ) {
    if (readlinkSync(`/proc/${pid}/ns/mnt`) !== ours && readFileSync(`/proc/${pid}/comm`, 'utf8') === 'sleep\n') return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('the child did not get its own mount namespace')
}

test('a name in use is refused, and its namespace stays', () => {
  using blue = netns.create('blue', { dir: folder })
  expect(() => netns.create('blue', { dir: folder })).toThrow(
    expect.objectContaining({ code: 'EXISTS', path: blue.path }),
  )
  using again = netns.open(blue.path)
  expect(again.isSame(blue)).toBe(true)
})

test.each(['', '.', '..', '../blue', 'a/b', 'a\0b', 'x'.repeat(256)])('%j is refused as a name', (name) => {
  expect(() => netns.create(name, { dir: folder })).toThrow(expect.objectContaining({ code: 'INVALID' }))
  expect(readdirSync(folder)).toEqual([])
})

test('each call without a name creates a new name', () => {
  using a = netns.create(undefined, { dir: folder })
  using b = netns.create(undefined, { dir: folder })
  expect(a.path).not.toBe(b.path)
})

test('a folder that cannot be created is named in the error', () => {
  expect(() => netns.create('blue', { dir: '/proc/nope' })).toThrow(
    expect.objectContaining({ name: 'NetnsError', path: '/proc/nope', message: expect.stringContaining('/proc/nope') }),
  )
})

test('a bound namespace survives under its second name', async () => {
  const kept = join(folder, 'kept')
  let ino: bigint
  {
    await using pod = await tempNetns()
    ino = pod.ino
    netns.bind(pod, kept).close()
  }
  using again = netns.open(kept)
  expect(again.ino).toBe(ino)
  netns.destroy(kept)
  expect(readdirSync(folder)).toEqual([])
})

test('a namespace ends with its last name and handle', async () => {
  await using outside = await tempNetns()
  using rtnl = await openRtnl(outside)
  const pod = await tempNetns()
  // The kernel removes the devices of a namespace at its end, and with a veth device its peer.
  await rtnl.addLink({ kind: 'veth', name: 'outside', peer: { name: 'inside', netns: pod } })
  const lives = async () => (await rtnl.getLink('outside')) !== undefined
  const child = netns.start(pod, ['sleep', '60'])
  await pod[Symbol.asyncDispose]()
  expect(existsSync(pod.path)).toBe(false)
  expect(await lives()).toBe(true)
  child.kill('SIGKILL')
  await child.done.catch(() => {})
  await expect.poll(lives, { timeout: 20_000 }).toBe(false)
})

test('destroying a namespace twice, or a missing one, is not an error', () => {
  const blue = netns.create('blue', { dir: folder })
  netns.destroy(blue)
  netns.destroy(blue)
  netns.destroy(join(folder, 'never'))
  expect(() => blue.fd).toThrow(expect.objectContaining({ code: 'CLOSED' }))
})

test('destroy removes the empty file of a killed creator, and no other file', () => {
  const [left, file] = [join(folder, 'left'), join(folder, 'file')]
  writeFileSync(left, '', { mode: 0o000 })
  netns.destroy(left)
  expect(existsSync(left)).toBe(false)
  writeFileSync(file, 'precious')
  symlinkSync('/proc/self/ns/net', join(folder, 'link'))
  expect(() => netns.destroy(file)).toThrow(expect.objectContaining({ code: 'NOT_A_NAMESPACE' }))
  expect(() => netns.destroy(folder)).toThrow(expect.objectContaining({ code: 'NOT_A_NAMESPACE' }))
  expect(() => netns.destroy(join(folder, 'link'))).toThrow(expect.objectContaining({ name: 'NetnsError' }))
  expect(readdirSync(folder).sort()).toEqual(['file', 'link'])
  rmSync(join(folder, 'link'))
})

test('a mount namespace bound to a file is refused, with and without FFI', async () => {
  const file = join(folder, 'mnt')
  writeFileSync(file, '')
  await run(['mount', '--bind', '/proc/self/ns/uts', file])
  try {
    expect(() => netns.open(file)).toThrow(expect.objectContaining({ code: 'NOT_A_NAMESPACE' }))
    const code = `
      import { open } from ${JSON.stringify(new URL('../src/handle/open.ts', import.meta.url).href)}
      try { open(process.argv[1]) } catch (error) { process.stdout.write(error.message) }`
    const args = [...NODE_FLAGS, '--input-type=module', '--eval', code, file] as const
    expect((await run([process.execPath, ...args])).stdout).toContain('it is a uts namespace')
  } finally {
    await run(['umount', file])
  }
})

test('a temporary namespace is removed when its body fails', async () => {
  let path = ''
  const failing = async () => {
    await using pod = await tempNetns()
    path = pod.path
    throw new Error('boom')
  }
  await expect(failing()).rejects.toThrow('boom')
  expect(path).not.toBe('')
  expect(existsSync(join(path, '..'))).toBe(false)
})

test.each([
  ['exits', 'process.exit(0)', { exitCode: 0, signal: null }],
  [
    'is ended',
    'process.kill(process.pid, "SIGTERM"); setTimeout(() => {}, 10_000)',
    { exitCode: null, signal: 'SIGTERM' },
  ],
])('a temporary namespace is removed when its process %s', async (_, how, end) => {
  const code = `
    import { writeSync } from 'node:fs'
    import { tempNetns } from '@cni/netns/testing'
    writeSync(1, (await tempNetns()).path)
    ${how}`
  const cwd = join(import.meta.dirname, '..')
  const args = [...NODE_FLAGS, '--input-type=module', '--eval', code] as const
  const result = await run([process.execPath, ...args], { cwd, reject: false })
  expect(result).toMatchObject(end)
  expect(result.stdout).toMatch(/^\/.*net$/)
  expect(existsSync(join(result.stdout, '..'))).toBe(false)
})

test('`ip netns` finds a temporary namespace with a name', async () => {
  const name = `cni-test-${process.pid}`
  {
    await using pod = await tempNetns({ name })
    expect((await run(['ip', '-n', name, 'link', 'show', 'up'])).stdout).toContain('lo:')
    expect(pod.path).toBe(`/run/netns/${name}`)
  }
  expect(existsSync(`/run/netns/${name}`)).toBe(false)
})

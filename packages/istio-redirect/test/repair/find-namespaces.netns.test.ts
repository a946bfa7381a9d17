import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findPodNamespaces } from '../../src/agent/proc/find-pod-namespaces.ts'
import {
  identityOf,
  isSameNamespace,
  type NamespaceIdentity,
  namespaceKey,
} from '../../src/agent/proc/namespace-identity.ts'
import { takeNodeSnapshot } from '../../src/agent/proc/node-snapshot.ts'
import { mounted, nodeFiles, showProcess } from '../ambient/node-files.ts'
import { addAddresses, podWith } from '../stage/kernel.ts'

const [uid, otherUid] = ['55efbedd-5af0-4fb0-b896-61604f0b0b53', 'fbabe860-b381-4d6d-bc04-879b9538694a'] as const

let node: ReturnType<typeof nodeFiles>
let folder: string
beforeEach(() => {
  node = nodeFiles()
  folder = join(node.root, 'var/run/netns')
  mkdirSync(folder, { recursive: true })
})
afterEach(() => node[Symbol.dispose]())

/** The inodes of the namespaces that are found, and the warnings. */
async function found(wanted: Readonly<Record<string, readonly string[]>>, holders?: ReadonlyMap<string, string>) {
  const { namespaces, warnings } = await findPodNamespaces(new Map(Object.entries(wanted)), node.proc, holders)
  const inodes = Object.fromEntries([...namespaces].map(([each, { ino }]) => [each, ino]))
  for (const each of namespaces.values()) each.close()
  return { inodes, warnings }
}

const openNamespaces = () =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(node.root)
    } catch {
      return false // the descriptor of this listing
    }
  })

describe('the namespace of a pod without a process', () => {
  test('is the mounted one that has all of its addresses', async () => {
    await using target = await podWith('10.0.0.1', 'fd00::1')
    await using others = await podWith('10.0.0.2')
    using _one = mounted(node.root, 'cni-1', target)
    using _again = mounted(node.root, 'cni-2', target)
    using _other = mounted(node.root, 'cni-3', others)
    expect(await found({ [uid]: ['10.0.0.1', 'fd00::1'] })).toEqual({ inodes: { [uid]: target.ino }, warnings: [] })
    expect(await found({ [uid]: ['10.0.0.1', 'fd00::2'] })).toEqual({ inodes: {}, warnings: [] })
    expect(await found({ [uid]: ['127.0.0.1'] })).toEqual({ inodes: {}, warnings: [] })
    expect(openNamespaces()).toEqual([])
  })

  test('may be found by a process outside of the pod’s control group, before any mount', async () => {
    await using target = await podWith('10.0.0.1')
    await using copy = await podWith('10.0.0.1')
    using _copy = mounted(node.root, 'cni-1', copy)
    showProcess(node.root, '20', '', target)
    expect(await found({ [uid]: ['10.0.0.1'] })).toEqual({ inodes: { [uid]: target.ino }, warnings: [] })
    expect(openNamespaces()).toEqual([])
  })

  test('is unknown if two mounts have its addresses', async () => {
    await using one = await podWith('10.0.0.1')
    await using other = await podWith('10.0.0.1')
    using _one = mounted(node.root, 'cni-1', one)
    using _other = mounted(node.root, 'cni-2', other)
    const { inodes, warnings } = await found({ [uid]: ['10.0.0.1'] })
    expect(inodes).toEqual({})
    expect(warnings).toEqual([expect.stringMatching(/cni-\d and .*cni-\d both have the addresses of the pod with UID/)])
    expect(openNamespaces()).toEqual([])
  })

  test('is never the namespace of another pod, by process or by holder', async () => {
    await using target = await podWith('10.0.0.1')
    using _mount = mounted(node.root, 'cni-1', target)
    const holders = new Map([[namespaceKey(target), otherUid]])
    expect(await found({ [uid]: ['10.0.0.1'] }, holders)).toEqual({ inodes: {}, warnings: [] })
    showProcess(node.root, '20', otherUid, target)
    expect(await found({ [uid]: ['10.0.0.1'] })).toEqual({ inodes: {}, warnings: [] })
    rmSync(join(node.proc, '20'), { recursive: true })
    expect(await found({ [uid]: ['10.0.0.1'] })).toMatchObject({ inodes: { [uid]: target.ino } })
  })

  test('is never the node’s, or the agent’s', async () => {
    await using host = await podWith('10.0.0.1')
    rmSync(join(node.proc, '1'), { recursive: true })
    showProcess(node.root, '1', '', host)
    using _host = mounted(node.root, 'cni-1', host)
    using own = netns.current()
    using _own = mounted(node.root, 'cni-2', own)
    const { namespaces } = await takeNodeSnapshot(node.proc)
    expect([...namespaces]).toEqual([])
    expect(await found({ [uid]: ['10.0.0.1'] })).toEqual({ inodes: {}, warnings: [] })
  })
})

describe('the search of a node', () => {
  test('opens no file in the folder of namespaces that is not a namespace', async () => {
    await using target = await podWith('10.0.0.1')
    writeFileSync(join(folder, 'file'), 'x'.repeat(1 << 20))
    mkdirSync(join(folder, 'folder'))
    symlinkSync(target.path, join(folder, 'link'))
    symlinkSync('/nowhere', join(folder, 'dangling'))
    expect(spawnSync('mkfifo', [join(folder, 'fifo')]).status).toBe(0)
    writeFileSync(join(folder, 'mnt'), '')
    expect(spawnSync('mount', ['--bind', '/proc/self/ns/uts', join(folder, 'mnt')]).status).toBe(0)
    try {
      expect(await found({ [uid]: ['10.0.0.1'] })).toEqual({ inodes: {}, warnings: [] })
    } finally {
      spawnSync('umount', [join(folder, 'mnt')])
    }
  })

  test('does not follow a link of the folder out of the node', async () => {
    await using target = await podWith('10.0.0.1')
    using elsewhere = nodeFiles()
    using _mount = mounted(elsewhere.root, 'cni-1', target)
    rmSync(folder, { recursive: true })
    symlinkSync(join(elsewhere.root, 'var/run/netns'), folder)
    const { namespaces, mountsProblem } = await takeNodeSnapshot(node.proc)
    expect([[...namespaces], mountsProblem]).toEqual([[], `${folder} is missing: mount it`])
  })

  test('reads a limited number of entries, and reports that there are more', async () => {
    for (let n = 0; n < 4200; n += 1) writeFileSync(join(folder, `file-${n}`), '')
    expect((await takeNodeSnapshot(node.proc)).mountsProblem).toBe(
      `${folder} has more than 4096 entries, and the rest is ignored`,
    )
  })

  test('reads few of the namespaces that a pod makes for itself', async () => {
    await using stack = new AsyncDisposableStack()
    const own = stack.use(await tempNetns())
    showProcess(node.root, '10', uid, own, 1)
    for (let n = 0; n < 20; n += 1) showProcess(node.root, String(20 + n), uid, stack.use(await tempNetns()))
    const { warnings } = await found({ [uid]: ['10.0.0.1'] })
    expect(warnings).toHaveLength(16)
    await addAddresses(own, ['10.0.0.1'], 'more')
    expect(await found({ [uid]: ['10.0.0.1'] })).toMatchObject({ inodes: { [uid]: own.ino } })
  })
})

test('a reused inode is another namespace by its cookie, and the same one without', async () => {
  const before = new Map<bigint, NamespaceIdentity>()
  for (let made = 0; made < 200; made += 1) {
    await using fresh = await tempNetns()
    const now = identityOf(fresh)
    expect(isSameNamespace(now, identityOf(fresh))).toBe(true)
    const gone = before.get(now.ino)
    before.set(now.ino, now)
    if (gone === undefined) continue
    expect(isSameNamespace(gone, now)).toBe(false)
    expect(isSameNamespace({ dev: gone.dev, ino: gone.ino }, now)).toBe(true)
    return
  }
  expect.unreachable('no inode was used again')
})

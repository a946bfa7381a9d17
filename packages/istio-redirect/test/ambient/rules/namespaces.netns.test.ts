import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  fstatSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { netnsCache } from '../../../src/agent/ambient/namespace/netns-cache.ts'
import { isDiscoveryError } from '../../../src/agent/proc/discovery-error.ts'
import { findPodNamespaces } from '../../../src/agent/proc/find-pod-namespaces.ts'
import { podWith } from '../../stage/kernel.ts'
import { nodeFiles } from '../node-files.ts'

const [uid, otherUid] = ['55efbedd-5af0-4fb0-b896-61604f0b0b53', 'fbabe860-b381-4d6d-bc04-879b9538694a'] as const
const underscored = (text: string) => text.replaceAll('-', '_')

let files: ReturnType<typeof nodeFiles>
/** A procfs with made-up processes. */
let proc: string
beforeEach(() => {
  files = nodeFiles()
  proc = files.proc
})
afterEach(() => files[Symbol.dispose]())

interface Shown {
  readonly namespace: string
  readonly cgroup?: string
  readonly startTime?: number
}

function shows(pid: string, { namespace, cgroup, startTime = 100 }: Shown): void {
  mkdirSync(join(proc, pid, 'ns'), { recursive: true })
  symlinkSync(namespace, join(proc, pid, 'ns/net'))
  if (cgroup !== undefined) writeFileSync(join(proc, pid, 'cgroup'), `${cgroup}\n`)
  writeFileSync(join(proc, pid, 'stat'), `${pid} (a) b) S ${'0 '.repeat(18)}${startTime} 0`)
}

const inPod = (of: string = uid, container = 'c1') => `0::/kubepods/besteffort/pod${of}/${container}`

/** The inodes of the namespaces that are found, by UID. Closes the namespaces. */
async function found(wanted: Readonly<Record<string, readonly string[]>>) {
  const { namespaces, warnings } = await findPodNamespaces(new Map(Object.entries(wanted)), proc)
  const inodes = Object.fromEntries([...namespaces].map(([each, { ino }]) => [each, ino]))
  for (const each of namespaces.values()) each.close()
  return { inodes, warnings }
}

/** The number of namespaces that this process has open. */
const descriptors = (): number => {
  const { dev } = statSync('/proc/self/ns/net')
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return fstatSync(Number(fd)).dev === dev
    } catch {
      return false // the descriptor of this listing
    }
  }).length
}

describe('the namespaces of pods', () => {
  test('are found by the control groups of their processes, in either layout, in one pass', async () => {
    await using one = await podWith('10.0.0.1')
    await using other = await podWith('10.0.0.2', 'fd00::2')
    shows('20', { namespace: one.path, cgroup: inPod() })
    const slice = `kubepods-burstable-pod${underscored(otherUid)}.slice`
    shows('21', {
      namespace: other.path,
      cgroup: `9:name=systemd:/\n1:pids:/kubepods.slice/${slice}/cri-containerd-c2.scope`,
    })
    shows('22', { namespace: other.path })
    const before = descriptors()
    expect(await found({ [uid]: ['10.0.0.1'], [otherUid]: ['fd00::2'], 'uid-of-nobody': ['10.0.0.3'] })).toEqual({
      inodes: { [uid]: one.ino, [otherUid]: other.ino },
      warnings: [],
    })
    expect(await found({ [uid]: ['::ffff:10.0.0.1'] })).toMatchObject({ inodes: { [uid]: one.ino } })
    expect(descriptors()).toBe(before)
  })

  test('are found by the oldest process, if a pod has several', async () => {
    await using older = await podWith('10.0.0.1')
    await using younger = await podWith('10.0.0.1')
    shows('20', { namespace: younger.path, cgroup: inPod(), startTime: 70298977 })
    shows('21', { namespace: older.path, cgroup: inPod(), startTime: 70298968 })
    const before = descriptors()
    const { inodes, warnings } = await found({ [uid]: ['10.0.0.1'] })
    expect(inodes).toEqual({ [uid]: older.ino })
    expect(warnings).toEqual([
      `process 20 of the pod with UID ${uid} is in another namespace than the pod's oldest process`,
    ])
    expect(descriptors()).toBe(before)
  })

  test('are never the namespace of another pod', async () => {
    await using own = await podWith('10.0.0.1')
    await using others = await podWith('10.0.0.2')
    // This process is older than any process of the pod that owns the namespace.
    shows('20', { namespace: others.path, cgroup: inPod(uid), startTime: 1 })
    shows('21', { namespace: others.path, cgroup: inPod(otherUid), startTime: 2 })
    shows('22', { namespace: own.path, cgroup: inPod(uid), startTime: 3 })
    const { inodes, warnings } = await found({ [uid]: ['10.0.0.1'], [otherUid]: ['10.0.0.2'] })
    expect(inodes).toEqual({ [uid]: own.ino, [otherUid]: others.ino })
    expect(warnings).toEqual([`process 20 of the pod with UID ${uid} is in a namespace without its addresses 10.0.0.1`])
  })

  test('are never the node’s own', async () => {
    await using node = await podWith('10.0.0.1')
    rmSync(join(proc, '1'), { recursive: true })
    shows('1', { namespace: node.path, cgroup: '0::/init.scope' })
    shows('20', { namespace: node.path, cgroup: inPod() })
    expect(await found({ [uid]: ['10.0.0.1'] })).toEqual({ inodes: {}, warnings: [] })
    rmSync(join(proc, '1'), { recursive: true })
    await expect(found({ [uid]: ['10.0.0.1'] })).rejects.toSatisfy(isDiscoveryError)
  })

  test('are not searched for pods without an address', async () => {
    await using target = await tempNetns()
    shows('20', { namespace: target.path, cgroup: inPod() })
    expect(await found({ [uid]: [] })).toEqual({ inodes: {}, warnings: [] })
  })

  test('are not found for processes that end meanwhile, or for invalid process ids', async () => {
    shows('20', { namespace: '/nowhere', cgroup: inPod() })
    shows('21', { namespace: '/proc/self/ns/mnt', cgroup: inPod() })
    mkdirSync(join(proc, '22'))
    writeFileSync(join(proc, '23'), '')
    expect(await found({ [uid]: ['10.0.0.1'] })).toEqual({ inodes: {}, warnings: [] })
  })
})

/** The control group hierarchy of this machine that accepts processes. */
const hierarchy = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup'].find((path) => {
  const group = join(path, 'cni-test-writable')
  try {
    if (!existsSync(join(path, 'cgroup.procs'))) return false
    mkdirSync(group)
    rmdirSync(group)
    return true
  } catch {
    return false
  }
})

test.skipIf(hierarchy === undefined)('the namespace of a real process in the group of a pod is found', async () => {
  await using target = await podWith('10.0.0.1')
  const group = join(hierarchy ?? '', `cni-test-${process.pid}`, `pod${uid}`, 'c1')
  const groups = [group, dirname(group), dirname(dirname(group))]
  let child: ChildProcess | undefined
  try {
    mkdirSync(group, { recursive: true })
    child = netns.run(target, () => spawn('sleep', ['60'], { stdio: 'ignore' }))
    await once(child, 'spawn')
    writeFileSync(join(group, 'cgroup.procs'), String(child.pid))
    symlinkSync(`/proc/${child.pid}`, join(proc, String(child.pid)))
    expect(await found({ [uid]: ['10.0.0.1'] })).toEqual({ inodes: { [uid]: target.ino }, warnings: [] })
  } finally {
    if (child !== undefined) {
      const closed = once(child, 'close')
      child.kill('SIGKILL')
      await closed
    }
    for (const each of groups) if (existsSync(each)) rmdirSync(each)
  }
})

describe('the cache of open namespaces', () => {
  const workload = { namespace: 'shop', name: 'web-0', serviceAccount: 'default' }

  test('holds one descriptor per pod, however often it keeps a namespace again', async () => {
    await using target = await tempNetns()
    await using another = await tempNetns()
    const before = descriptors()
    using cache = netnsCache(proc)
    for (let n = 0; n < 10; n++) cache.setNetns(uid, { ...workload, name: `web-${n}` }, netns.open(target.path))
    expect(descriptors()).toBe(before + 1)
    using first = cache.lease(uid)
    cache.setNetns(otherUid, workload, netns.open(target.path))
    cache.setNetns(uid, workload, netns.open(another.path))
    using second = cache.lease(uid)
    expect([first?.netns.ino, second?.netns.ino]).toEqual([target.ino, another.ino])
    expect(cache.size).toBe(2)
    first?.[Symbol.dispose]()
    expect(descriptors()).toBe(before + 2)
  })

  test('keeps a namespace open as long as it is leased', async () => {
    await using target = await tempNetns()
    const before = descriptors()
    const cache = netnsCache(proc)
    cache.setNetns(uid, workload, netns.open(target.path))
    cache.add(otherUid, workload)
    const pods = cache.snapshot()
    expect(pods).toMatchObject([
      { uid, workload, lease: { netns: { ino: target.ino } } },
      { uid: otherUid, workload, lease: undefined },
    ])
    expect([cache.forget(uid), cache.forget(uid), cache.has(uid), cache.lease(uid)]).toEqual([
      true,
      false,
      false,
      undefined,
    ])
    expect(pods[0]?.lease?.netns.fd).toBeGreaterThan(0)
    expect(descriptors()).toBe(before + 1)
    for (const { lease } of pods) for (let n = 0; n < 2; n++) lease?.[Symbol.dispose]()
    expect(descriptors()).toBe(before)
    cache[Symbol.dispose]()
    expect(cache.size).toBe(0)
  })

  test('tells open namespaces from pods that are only known', async () => {
    await using target = await tempNetns()
    using cache = netnsCache(proc)
    cache.add(uid, workload)
    expect([cache.has(uid), cache.lease(uid)]).toEqual([true, undefined])
    cache.setNetns(uid, workload, netns.open(target.path))
    // `know` keeps the open namespace.
    cache.add(uid, { ...workload, serviceAccount: 'other' })
    const [pod] = cache.snapshot()
    using lease = pod?.lease
    expect(pod?.workload.serviceAccount).toBe('other')
    expect(lease?.netns.ino).toBe(target.ino)
  })

  test('never keeps the node’s namespace, and does not replace an open one', async () => {
    await using node = await tempNetns()
    await using target = await tempNetns()
    rmSync(join(proc, '1'), { recursive: true })
    expect(() => netnsCache(proc)).toThrow("cannot find the node's own network namespace")
    shows('1', { namespace: node.path })
    using cache = netnsCache(proc)
    cache.setNetns(uid, workload, netns.open(target.path))
    const before = descriptors()
    expect(() => cache.setNetns(uid, workload, netns.open(node.path))).toThrow(
      `pod shop/web-0: ${node.path} is the network namespace of the node itself`,
    )
    using lease = cache.lease(uid)
    expect(lease?.netns.ino).toBe(target.ino)
    rmSync(join(proc, '1'), { recursive: true })
    expect(() => cache.setNetns(otherUid, workload, netns.open(node.path))).toThrow('cannot find the node')
    expect([descriptors(), cache.size]).toEqual([before, 1])
  })
})

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ebpf, hashMap, int, ipv4 } from '@cni/ebpf'
import { loadSys } from '@cni/netns/sys'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { tempBpffs } from './bpffs.ts'
import { failing } from './failing.ts'
import { license, returning } from './programs.ts'
import { counts, pods } from './specs.ts'

const bpf = ebpf()

let files: ReturnType<typeof tempBpffs>
beforeEach(() => {
  files = tempBpffs()
})
afterEach(() => files[Symbol.dispose]())

test('maps and programs are found with their version, and refused with another version', () => {
  const folder = join(files.path, 'agent')
  const made = bpf.pins(folder, { version: 1, create: true })
  using map = made.map(pods)
  map.set('10.0.0.1', { ifindex: 3, mac: '02:00:00:00:00:03' })
  using program = bpf.load({ name: 'count', instructions: returning(0), license })
  made.putProgram('count', program)
  using second = bpf.load({ name: 'count', instructions: returning(2), license })
  made.putProgram('count', second)
  expect(made.list()).toEqual(['count', 'pods'])

  const found = bpf.pins(folder, { version: 1 })
  using same = found.map(pods)
  expect(same.get('10.0.0.1')).toEqual({ ifindex: 3, mac: '02:00:00:00:00:03' })
  using pinned = found.program('count')
  expect(pinned).toMatchObject({ name: 'count', id: second.id, tag: second.tag })
  expect(() => found.program('other')).toThrow(failing('NOT_FOUND', `${folder}/other`))
  expect(() => found.map(counts)).toThrow(failing('NOT_FOUND', 'counts'))
  expect(() => bpf.pins(folder, { version: 2 })).toThrow(failing('MISMATCH', folder, 'version 1, expected 2'))
  const wider = hashMap({ name: 'pods', key: ipv4, value: int('u64'), maxEntries: 3 })
  expect(() => found.map(wider)).toThrow(failing('MISMATCH', 'pods', 'value size is 12, expected 8'))
  expect(() => bpf.openMap(pods, join(folder, 'count'))).toThrow(failing('MISMATCH'))
  made.remove()
  expect(() => bpf.pins(folder, { version: 1 })).toThrow(failing('NOT_FOUND', folder))
})

test('pins outside of a bpf file system, and below a second one, throw an error with the reason', () => {
  const plain = mkdtempSync(join(tmpdir(), 'cni-no-bpffs-'))
  try {
    expect(bpf.isOnBpffs(join(plain, 'a/b'))).toBe(false)
    expect(() => bpf.pins(join(plain, 'a'), { version: 1, create: true })).toThrow(failing('NO_BPFFS', plain, 'mount'))
    expect(() => bpf.openProgram(join(plain, 'a'))).toThrow(failing('NO_BPFFS', plain))
  } finally {
    rmSync(plain, { recursive: true })
  }
  expect(bpf.isOnBpffs(join(files.path, 'a/b'))).toBe(true)
  expect(bpf.mountBpffs(files.path)).toEqual({ mounted: false })
  const folder = join(files.path, 'agent')
  bpf.pins(folder, { version: 1, create: true })
  loadSys().mount('bpf', files.path, 'bpf', 0, null)
  try {
    const why = ['several bpf file systems are mounted on', files.path]
    expect(() => bpf.pins(folder, { version: 1 })).toThrow(failing('NOT_FOUND', folder, ...why))
    expect(() => bpf.openProgram(join(folder, 'count'))).toThrow(failing('NOT_FOUND', 'count', ...why))
  } finally {
    loadSys().umount2(files.path, 0)
  }
  bpf.pins(folder, { version: 1 })
})

test('a pin with a dot in its name, which the kernel refuses with EPERM, throws INVALID', () => {
  mkdirSync(join(files.path, 'x'))
  using map = bpf.createMap(counts)
  expect(() => map.pin(join(files.path, 'x/counts.v1'))).toThrow(failing('INVALID', 'counts.v1', 'dot'))
  map.pin(join(files.path, 'x/counts-1'))
  expect(() => map.pin(join(files.path, 'x/counts-1'))).toThrow(failing('EXISTS', 'counts-1'))
})

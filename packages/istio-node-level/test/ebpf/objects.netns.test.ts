import { readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ebpf, hashMap, int, ipv4 } from '@cni/ebpf'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { tempBpffs } from '../../../ebpf/test/bpffs.ts'
import { openObjects } from '../../src/objects/objects.ts'

let stack: DisposableStack
let folder: string
beforeEach(() => {
  stack = new DisposableStack()
  folder = join(stack.use(tempBpffs()).path, 'ambient')
})
afterEach(() => stack.dispose())

/** Number of open descriptors of a kind in this process. */
const openOf = (kind: 'bpf-map' | 'bpf-prog'): number =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === `anon_inode:${kind}`
    } catch {
      // The descriptor of this directory listing is closed already.
      return false
    }
  }).length

test.each(['first opened', 'found pinned'])('objects that are %s have one open descriptor each', (how) => {
  if (how === 'found pinned') openObjects({ pins: folder })[Symbol.dispose]()
  using objects = openObjects({ pins: folder })
  expect([openOf('bpf-map'), openOf('bpf-prog')]).toEqual([Object.keys(objects.maps).length, objects.programs.size])
})

test('programs of an unpinned map are loaded again, also after an attempt that failed', () => {
  using first = openObjects({ pins: folder })
  const pins = ebpf().pins(folder, { version: 1, create: true })
  pins.unpin('host_ip_info')
  pins.unpin('drops')
  pins.map(hashMap({ name: 'drops', key: ipv4, value: int('u32'), maxEntries: 8 })).close()
  // The agent has created the map host_ip_info again before it fails at the map drops.
  expect(() => openObjects({ pins: folder })).toThrow(expect.objectContaining({ code: 'MISMATCH' }))
  pins.unpin('drops')
  first.maps.drops.pin(pins.pathOf('drops'))
  using next = openObjects({ pins: folder })
  expect(next.maps.host_ip_info.id).not.toBe(first.maps.host_ip_info.id)
  const ids = (of: typeof first) => [...of.programs.values()].map(({ id }) => id)
  expect(ids(next).filter((id) => ids(first).includes(id))).toEqual([])
})

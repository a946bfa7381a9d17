import { ebpf, supportsFilters } from '@cni/ebpf'
import { loadSys } from '@cni/netns/sys'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type EbpfNode, ebpfNode } from './ebpf-node.ts'

let on: EbpfNode
beforeEach(async () => {
  on = await ebpfNode()
})
afterEach(() => on[Symbol.asyncDispose]())

test('without sk_assign rules find sockets, and capture of DNS queries is an error', async () => {
  using _ = kernelWithout('sk_assign')
  expect(ebpf().features()).toEqual({ skcLookup: true, skAssign: false })
  expect(() => on.newSide('tproxy')).toThrow(
    expect.objectContaining({ code: 'NOT_SUPPORTED', message: expect.stringContaining('has no helper') }),
  )
  const side = on.newSide()
  expect(side.objects.variant).toBe('mark')
  await expect(side.start(on.node.ztunnel)).rejects.toMatchObject({ code: 'NO_SK_ASSIGN' })
  expect(await on.hooksOf('vzt')).toEqual([])
  await side.start({ ...on.node.ztunnel, dnsCapture: false })
  await side.addPod(on.podOf('app'))
  expect([await on.hooksOf('vapp'), await side.drift()]).toEqual([['app_inbound', 'app_outbound'], []])
  await side.stop()
  expect(await on.hooksOf('vapp')).toEqual([])
})

test.each([
  ['clsact', /Attach \w+ to \d+ \(ingress\): the kernel has no clsact \(CONFIG_NET_SCH_INGRESS/],
  ['cls_bpf', /Attach \w+ to \d+ \(ingress\): the kernel has no filters of kind bpf \(CONFIG_NET_CLS_BPF\)/],
] as const)('without %s start() and addPod() name the missing feature and leave nothing', async (missing, message) => {
  const side = on.newSide()
  const refused = { code: 'NOT_SUPPORTED', message: expect.stringMatching(message) }
  const traces = async () => [
    await on.hooksOf('vzt'),
    await on.hooksOf('vapp'),
    (await on.node.rtnl.getQdiscs()).filter(({ kind }) => kind === 'clsact').length,
    side.objects.maps.ztunnel_info.get(0).ifindex,
    await side.listPods(),
  ]
  const before = await traces()
  {
    using _ = kernelWithout(missing)
    expect(await supportsFilters()).toBe(false)
    await expect(side.start(on.node.ztunnel)).rejects.toMatchObject(refused)
    expect(await traces()).toEqual(before)
  }
  await side.start(on.node.ztunnel)
  const started = await traces()
  {
    using _ = kernelWithout(missing)
    await expect(side.addPod(on.podOf('app'))).rejects.toMatchObject({
      ...refused,
      message: expect.stringMatching(new RegExp(message.source.replace('ingress', 'egress'))),
    })
  }
  expect(await traces()).toEqual(started)
  await side.stop()
})

/** Feature that a kernel lacks. */
type Missing = 'clsact' | 'cls_bpf' | 'sk_assign'

/**
 * Simulates a kernel that lacks a feature, until disposal. It changes requests so that they name an unknown kind or
 * function, and the real kernel refuses them.
 */
function kernelWithout(missing: Missing): Disposable {
  const sys = loadSys()
  const spy = missing === 'sk_assign' ? withoutHelper(SK_ASSIGN) : withoutKind(missing === 'clsact' ? missing : 'bpf')
  return { [Symbol.dispose]: () => spy.mockRestore() }

  function withoutKind(kind: string) {
    const { sendto } = sys
    return vi.spyOn(sys, 'sendto').mockImplementation((fd, data, ...rest) => {
      const copy = Buffer.from(data)
      // TCA_KIND attribute with the name as a C string.
      const attribute = Buffer.from([kind.length + 5, 0, 1, 0, ...Buffer.from(`${kind}\0`)])
      const at = copy.indexOf(attribute)
      if (at !== -1) copy.write('none'.slice(0, kind.length).padEnd(kind.length, 'x'), at + 4)
      return sendto(fd, copy, ...rest)
    })
  }

  function withoutHelper(id: number) {
    const { bpf } = sys
    return vi.spyOn(sys, 'bpf').mockImplementation((command, attr, pointers = []) => {
      const changed = pointers.map(([offset, bytes]): readonly [number, Uint8Array] => {
        if (command !== PROG_LOAD || offset !== INSTRUCTIONS) return [offset, bytes]
        const copy = Buffer.from(bytes)
        for (let at = 0; at < copy.length; at += 8) {
          if (copy[at] === CALL && copy.readInt32LE(at + 4) === id) copy.writeInt32LE(NO_HELPER, at + 4)
        }
        return [offset, copy]
      })
      return bpf(command, attr, changed)
    })
  }
}

const PROG_LOAD = 5
/** Offset of the instructions' address in the attribute. */
const INSTRUCTIONS = 8
const CALL = 0x85
const SK_ASSIGN = 124
const NO_HELPER = 99_999

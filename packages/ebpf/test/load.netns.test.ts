import { ebpf } from '@cni/ebpf'
import { expect, test } from 'vitest'
import { failing } from './failing.ts'
import { counting, license, packet, returning } from './programs.ts'
import { counts } from './specs.ts'

const bpf = ebpf()

test('a program counts in a map, reads mark and cb, and returns an action', () => {
  using map = bpf.createMap(counts)
  using program = bpf.load({ name: 'count', instructions: counting(map.fd), license })
  expect(program).toMatchObject({ name: 'count', tag: expect.stringMatching(/^[0-9a-f]{16}$/) })
  const result = program.testRun({ packet, mark: 0xc001f00d, cb: [0x400, 0, 0, 0, 5], repeat: 3 })
  expect(result).toMatchObject({ returned: -1, action: 'unspec', mark: 0x400, cb: [0xc001f00d, 0, 0, 0, 5] })
  expect(program.testRun({ packet, mark: 1, cb: [2] })).toMatchObject({ mark: 2, cb: [1, 0, 0, 0, 0] })
  expect(Buffer.from(result.packet)).toEqual(packet)
  expect(map.get(0)).toBe(4n)
})

test.each([
  ['unspec', -1],
  ['ok', 0],
  ['shot', 2],
  ['redirect', 7],
] as const)('%s is the action of %i', (action, value) => {
  using program = bpf.load({ name: 'constant', instructions: returning(value), license })
  expect(program.testRun({ packet })).toMatchObject({ action, returned: value })
})

test('a program that the verifier refuses throws its last lines', () => {
  // The program does not set r0.
  const bad = { name: 'bad', instructions: Buffer.from('9500000000000000', 'hex'), license }
  expect(() => bpf.load(bad)).toThrow(failing('VERIFIER', 'Load program bad', 'R0 !read_ok'))
  // trace_printk
  const gpl = Buffer.concat([Buffer.from('8500000006000000', 'hex'), returning(0)])
  expect(() => bpf.load({ name: 'gpl', instructions: gpl, license })).toThrow(failing('VERIFIER', 'GPL'))
  const missing = Buffer.concat([Buffer.from('8500000010270000', 'hex'), returning(0)])
  expect(() => bpf.load({ name: 'new', instructions: missing, license })).toThrow(
    failing('NOT_SUPPORTED', 'Load program new: this kernel has no helper'),
  )
})

test.each([
  ['name', { name: 'app-info' }, 'app-info'],
  ['name', { name: 'x'.repeat(16) }, 'xxxx'],
  ['instructions', { instructions: new Uint8Array(7) }, '7 bytes'],
  ['license', { license: '' }, 'license'],
])('an invalid %s is refused without a request to the kernel', (_, change, named) => {
  const source = { name: 'x', instructions: returning(0), license, ...change }
  expect(() => bpf.load(source)).toThrow(failing('INVALID', named))
})

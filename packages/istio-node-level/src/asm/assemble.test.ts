import { describe, expect, it } from 'vitest'
import { assemble } from './assemble.ts'
import {
  add,
  and,
  atomicAdd,
  call,
  exit,
  goto,
  type Instruction,
  jump,
  label,
  load,
  lsh,
  map,
  mov,
  mov32,
  store,
} from './instruction.ts'
import { instructionText, toText } from './to-text.ts'

const encodings: readonly (readonly [Instruction, string, string])[] = [
  [mov('r6', 'r1'), 'bf16000000000000', 'r6 = r1'],
  [mov('r0', -1), 'b7000000ffffffff', 'r0 = -1'],
  [mov32('r1', 0xc001_f00d), 'b40100000df001c0', 'w1 = 0xc001f00d'],
  [mov32('r1', 'r2'), 'bc21000000000000', 'w1 = w2'],
  [add('r2', -4), '07020000fcffffff', 'r2 += -4'],
  [and('r2', 15), '570200000f000000', 'r2 &= 15'],
  [lsh('r2', 2), '6702000002000000', 'r2 <<= 2'],
  [load('u32', 'r7', 'r6', 16), '6167100000000000', 'r7 = *(u32 *)(r6 + 16)'],
  [load('u16', 'r2', 'r10', -18), '69a2eeff00000000', 'r2 = *(u16 *)(r10 - 18)'],
  [load('u8', 'r8', 'r10', -15), '71a8f1ff00000000', 'r8 = *(u8 *)(r10 - 15)'],
  [load('u64', 'r1', 'r10', -8), '79a1f8ff00000000', 'r1 = *(u64 *)(r10 - 8)'],
  [store('u32', 'r10', -4, 0), '620afcff00000000', '*(u32 *)(r10 - 4) = 0'],
  [store('u16', 'r10', -4, 1), '6a0afcff01000000', '*(u16 *)(r10 - 4) = 1'],
  [store('u8', 'r10', -4, 1), '720afcff01000000', '*(u8 *)(r10 - 4) = 1'],
  [store('u64', 'r10', -8, 1), '7a0af8ff01000000', '*(u64 *)(r10 - 8) = 1'],
  [store('u32', 'r6', 8, 'r1'), '6316080000000000', '*(u32 *)(r6 + 8) = r1'],
  [atomicAdd('r0', 0, 'r1'), 'db10000000000000', 'lock *(u64 *)(r0 + 0) += r1'],
  [call('map_lookup'), '8500000001000000', 'call map_lookup'],
  [call('skc_lookup_tcp'), '8500000063000000', 'call skc_lookup_tcp'],
  [exit, '9500000000000000', 'exit'],
]

const jumps: readonly (readonly [Instruction, string])[] = [
  [goto('end'), '0500020000000000'],
  [jump('r0', 'eq', 0, 'end'), '1500020000000000'],
  [jump('r1', 'eq', 'r2', 'end'), '1d21020000000000'],
  [jump('r1', 'gt', 1, 'end'), '2501020001000000'],
  [jump('r1', 'ge', 1, 'end'), '3501020001000000'],
  [jump('r1', 'set', 1, 'end'), '4501020001000000'],
  [jump('r1', 'ne', 1, 'end'), '5501020001000000'],
  [jump('r1', 'lt', 1, 'end'), 'a501020001000000'],
  [jump('r1', 'le', 1, 'end'), 'b501020001000000'],
]

const sizes = { keySize: 4, valueSize: 8 }
const of = (...instructions: Instruction[]) => ({ name: 'example', maps: { counts: sizes }, instructions })
const hex = (...instructions: Instruction[]): string =>
  Buffer.from(assemble(of(...instructions), { counts: 7 })).toString('hex')

describe('assemble', () => {
  it.each(encodings)('encodes an instruction in eight bytes', (instruction, bytes, text) => {
    expect([hex(instruction), instructionText(instruction)]).toEqual([bytes, text])
  })

  it.each(jumps)('encodes the distance of a jump, where a map reference counts as two slots', (instruction, bytes) => {
    expect(hex(instruction, map('r1', 'counts'), label('end'), exit).slice(0, 16)).toBe(bytes)
  })

  it('refers to a map by its descriptor', () => {
    expect(hex(map('r1', 'counts'))).toBe('18110000070000000000000000000000')
  })

  it.each([
    ['a number that would be sign-extended', [mov('r1', 0xc001_f00d)], /build it with mov32/],
    ['a number to compare with', [jump('r1', 'eq', 0xc001_f00d, 'end'), label('end'), exit], /does not fit/],
    ['a number of more than 32 bits', [mov32('r1', 2 ** 32)], /4294967296 does not fit/],
    ['a fraction', [mov('r1', 0.5)], /0.5 does not fit/],
    ['an offset', [load('u32', 'r1', 'r10', -40_000)], /-40000 is not an offset/],
    [
      'a jump',
      [goto('end'), ...Array.from({ length: 40_000 }, () => exit), label('end'), exit],
      /40000 is not an offset/,
    ],
  ] as const)('rejects an operand that does not fit: %s', (_, instructions, message) => {
    expect(() => assemble(of(...instructions), { counts: 7 })).toThrow(message)
  })

  it('rejects a map that is not open, and missing or duplicate labels', () => {
    expect(() => assemble(of(map('r1', 'counts')), {})).toThrow(
      'Program example, "r1 = map counts": map counts is not open',
    )
    expect(() => hex(label('top'), goto('nowhere'))).toThrow(
      'Program example, "goto nowhere" under top: label nowhere is missing or at the end',
    )
    expect(() => hex(label('top'), label('top'), exit)).toThrow('two labels are called top')
  })
})

describe('toText', () => {
  it('prints labels, and the instructions below them', () => {
    expect(toText(of(mov('r0', 0), goto('end'), label('end'), exit))).toBe(
      'program example\n  r0 = 0\n  goto end\nend:\n  exit\n',
    )
  })
})

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { damageOf } from './damage.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cni-installer-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Damage in a file with these bytes. */
function damageIn(bytes: Uint8Array): string | undefined {
  const path = join(folder, 'program')
  writeFileSync(path, bytes)
  return damageOf(path)
}

test('a program is intact only at its full length', () => {
  const program = readFileSync('/bin/true')
  expect(damageIn(program)).toBeUndefined()
  expect(damageIn(Buffer.concat([program, Buffer.from('payload')]))).toBeUndefined()
  for (let length = 1; length < program.length; length += 1 + Math.floor(length / 7)) {
    expect(damageIn(program.subarray(0, length)), `${length} bytes`).toBe('truncated')
  }
  expect(damageIn(program.subarray(0, -1))).toBe('truncated')
})

/** An ELF file with one segment and one section, whose data ends at 300. */
function elf(bits: 32 | 64, isLittle: boolean): Buffer {
  const bytes = Buffer.alloc(300)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const word = (at: number, value: number): void =>
    bits === 64 ? view.setBigUint64(at, BigInt(value), isLittle) : view.setUint32(at, value, isLittle)
  bytes.write('\u007fELF', 'latin1')
  bytes[4] = bits / 32
  bytes[5] = isLittle ? 1 : 2
  const [offsets, sizes, widths] =
    bits === 64 ? ([[32, 40], 54, [56, 64]] as const) : ([[28, 32], 42, [32, 40]] as const)
  const [segment, section] = [64, 64 + widths[0]]
  word(offsets[0], segment)
  word(offsets[1], section)
  for (const [index, width] of widths.entries()) {
    view.setUint16(sizes + 4 * index, width, isLittle)
    view.setUint16(sizes + 4 * index + 2, 1, isLittle)
  }
  word(segment + (bits === 64 ? 8 : 4), 200)
  word(segment + (bits === 64 ? 32 : 16), 100)
  word(section + (bits === 64 ? 24 : 16), 200)
  word(section + (bits === 64 ? 32 : 20), 100)
  return bytes
}

test.each([
  [64, true],
  [64, false],
  [32, true],
  [32, false],
] as const)('the tables of a %d-bit program (little-endian: %s) give its length', (bits, isLittle) => {
  const whole = elf(bits, isLittle)
  expect(damageIn(whole)).toBeUndefined()
  for (const length of [299, 250, 190, 130, 100, 70, 60, 20, 5]) {
    expect(damageIn(whole.subarray(0, length)), `${length} bytes`).toBe('truncated')
  }
})

test.each([
  ['nothing', '', 'empty'],
  ['zeros, as after a power cut', '\0'.repeat(9000), 'blank'],
  ['a script', '#!/bin/sh\n', undefined],
  ['another text', 'x', undefined],
])('a file of %s', (_, text, damage) => {
  expect(damageIn(Buffer.from(text))).toBe(damage)
})

test('a folder is rejected', () => {
  expect(() => damageOf(folder)).toThrow('it is not a regular file')
})

import { helpers } from './helpers.ts'
import type { AluOperation, Comparison, Register, Width } from './instruction.ts'
import { fail, type Line, lines } from './lines.ts'
import type { ProgramText } from './program-text.ts'

const widths: Readonly<Record<Width, number>> = { u32: 0x00, u16: 0x08, u8: 0x10, u64: 0x18 }
const operations: Readonly<Record<AluOperation, number>> = {
  add: 0x00,
  sub: 0x10,
  or: 0x40,
  and: 0x50,
  lsh: 0x60,
  rsh: 0x70,
  xor: 0xa0,
  mov: 0xb0,
}
const comparisons: Readonly<Record<Comparison, number>> = {
  eq: 0x10,
  gt: 0x20,
  ge: 0x30,
  set: 0x40,
  ne: 0x50,
  lt: 0xa0,
  le: 0xb0,
}

/**
 * Encodes an eBPF program as little-endian instructions of eight bytes.
 *
 * @param descriptors - file descriptors of the maps, by map name
 * @throws a `ProgramError`: `RANGE` for an operand that does not fit into an instruction, `MAP` for a map without a
 * descriptor
 */
export function assemble(program: ProgramText, descriptors: Readonly<Record<string, number>>): Uint8Array {
  const all = lines(program)
  const last = all.at(-1)
  const slots = last === undefined ? 0 : last.slot + (last.operation.kind === 'map' ? 2 : 1)
  const bytes = Buffer.alloc(8 * slots)
  for (const line of all) {
    const { op, to = 'r0', from = 'r0', offset = 0, imm = 0 } = encoded(program.name, line, all, descriptors)
    const at = 8 * line.slot
    if (offset < -0x8000 || offset > 0x7fff)
      fail(program.name, line, 'RANGE', `${offset} is not an offset: offsets are signed 16-bit numbers`)
    bytes[at] = op
    bytes[at + 1] = (number(from) << 4) | number(to)
    bytes.writeInt16LE(offset, at + 2)
    bytes.writeInt32LE(imm | 0, at + 4)
  }
  return bytes
}

// internal

interface Encoded {
  readonly op: number
  readonly to?: Register
  readonly from?: Register
  readonly offset?: number
  readonly imm?: number
}

const MEM = 0x60
const ATOMIC = 0xc0
const BY_REGISTER = 0x08
/**
 * Value of an eBPF instruction's source register field that marks the operand as a map's file descriptor
 * (`BPF_PSEUDO_MAP_FD`).
 */
const MAP_DESCRIPTOR: Register = 'r1'

function encoded(
  name: string,
  line: Line,
  all: readonly Line[],
  descriptors: Readonly<Record<string, number>>,
): Encoded {
  const { operation: it } = line
  const operand = (value: Register | number, extended: boolean): Encoded => {
    if (typeof value !== 'number') return { op: BY_REGISTER, from: value }
    const high = extended ? 0x7fff_ffff : 0xffff_ffff
    if (Number.isInteger(value) && value >= -0x8000_0000 && value <= high) return { op: 0, imm: value }
    const hint = extended && value <= 0xffff_ffff ? ': its sign would be extended, so build it with mov32' : ''
    return fail(name, line, 'RANGE', `${value} does not fit${hint}`)
  }
  const distance = (): number => {
    const target = line.target === undefined ? undefined : all[line.target]
    return target === undefined ? 0 : target.slot - (line.slot + 1)
  }
  switch (it.kind) {
    case 'alu': {
      const from = operand(it.value, it.bits === 64)
      return { ...from, op: (it.bits === 64 ? 0x07 : 0x04) | operations[it.operation] | from.op, to: it.to }
    }
    case 'load':
      return { op: 0x01 | MEM | widths[it.width], to: it.to, from: it.base, offset: it.offset }
    case 'store': {
      const from = operand(it.value, it.width === 'u64')
      const op = (typeof it.value === 'number' ? 0x02 : 0x03) | MEM | widths[it.width]
      return { ...from, op, to: it.base, offset: it.offset }
    }
    case 'atomicAdd':
      return { op: 0x03 | ATOMIC | widths.u64, to: it.base, from: it.value, offset: it.offset }
    case 'jump': {
      const from = operand(it.right, true)
      return { ...from, op: 0x05 | comparisons[it.comparison] | from.op, to: it.left, offset: distance() }
    }
    case 'goto':
      return { op: 0x05, offset: distance() }
    case 'map': {
      const descriptor = descriptors[it.map]
      if (descriptor === undefined) return fail(name, line, 'MAP', `map ${it.map} is not open`)
      return { op: 0x18, to: it.to, from: MAP_DESCRIPTOR, imm: descriptor }
    }
    case 'call':
      return { op: 0x85, imm: helpers[it.helper].id }
    case 'exit':
      return { op: 0x95 }
  }
}

const number = (register: Register): number => Number(register.slice(1))

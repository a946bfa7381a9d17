/** One BPF instruction: code (`BPF_*`), registers, offset, immediate value. */
export type Instruction = readonly [op: number, registers: number, off: number, imm: number]

/** Encodes BPF instructions as the bytes that the kernel loads. */
export function program(...instructions: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(8 * instructions.length)
  for (const [at, [op, registers, off, imm]] of instructions.entries()) {
    bytes[8 * at] = op
    bytes[8 * at + 1] = registers
    bytes.writeInt16LE(off, 8 * at + 2)
    bytes.writeInt32LE(imm | 0, 8 * at + 4)
  }
  return bytes
}

const exit: Instruction = [0x95, 0, 0, 0]

/** BPF program that returns the given value. */
export const returning = (value: number): Uint8Array => program([0xb7, 0, 0, value], exit)

/** BPF program that counts packets in an array map, and swaps `cb[0]` and `mark`. */
export const counting = (map: number): Uint8Array =>
  program(
    [0xbf, 0x16, 0, 0], // copies the packet pointer from register r1 to r6
    [0x61, 0x67, 8, 0], // loads the packet's mark into register r7
    [0x61, 0x68, 48, 0], // loads the packet's cb[0] into register r8
    [0x63, 0x86, 8, 0],
    [0x63, 0x76, 48, 0],
    [0x62, 0x0a, -4, 0], // stores the map's key 0 on the stack
    [0x18, 0x11, 0, map],
    [0, 0, 0, 0],
    [0xbf, 0xa2, 0, 0],
    [0x07, 0x02, 0, -4],
    [0x85, 0, 0, 1], // calls the helper function map_lookup_elem
    [0x15, 0x00, 2, 0],
    [0xb7, 0x01, 0, 1],
    [0xdb, 0x10, 0, 0], // *r0 += 1
    [0xb7, 0x00, 0, -1],
    exit,
  )

/** License of the test programs, which call no helper function that requires the GPL. */
export const license = 'Apache-2.0'

/** A minimal IPv4 packet with Ethernet header, as input for test runs. */
export const packet = Buffer.from(`${'02'.repeat(12)}0800${'45'.padEnd(40, '0')}`, 'hex')

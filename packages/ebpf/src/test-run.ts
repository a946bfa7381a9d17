import { call, type Member, PROG_TEST_RUN } from './call.ts'
import { FOR_PROGRAMS } from './capabilities.ts'
import { checkInteger, invalid } from './errors.ts'
import type { Kernel } from './kernel.ts'
import type { KernelObject } from './object.ts'

/** A packet, and what the kernel keeps beside it. */
export interface TestRun {
  /** With its Ethernet header, 14 bytes at least. */
  readonly packet: Uint8Array
  /** Default: 0. */
  readonly mark?: number | undefined
  /** At most five numbers of 32 bits. Default: zeros. */
  readonly cb?: readonly number[] | undefined
  /** How often. Default: 1. */
  readonly repeat?: number | undefined
}

/** What became of it. */
export interface TestRunResult {
  /** What the program returned, signed. */
  readonly returned: number
  /** The same in a word: what becomes of the packet. */
  readonly action: TrafficAction
  readonly packet: Uint8Array
  readonly mark: number
  readonly cb: readonly number[]
  /** Of one run, on average. */
  readonly nanoseconds: number
}

/** What becomes of a packet: `unspec` lets the next filter decide. */
export type TrafficAction = 'unspec' | 'ok' | 'reclassify' | 'shot' | 'pipe' | 'stolen' | 'redirect' | 'other'

const ACTIONS: Readonly<Record<number, TrafficAction>> = {
  [-1]: 'unspec',
  0: 'ok',
  1: 'reclassify',
  2: 'shot',
  3: 'pipe',
  4: 'stolen',
  7: 'redirect',
}

// struct __sk_buff, with room for what kernels to come add: zeros behind it are taken, too few bytes are not
const CONTEXT = 256
const MARK = 8
const CB = 48
/** A program may make a packet longer. */
const ROOM = 512

export function testRun(kernel: Kernel, program: KernelObject, input: TestRun): TestRunResult {
  const { packet, mark = 0, cb = [], repeat = 1 } = input
  if (!(packet instanceof Uint8Array) || packet.length < 14) {
    invalid(`packet: expected 14 bytes at least, an Ethernet header, got ${packet?.length}`)
  }
  if (cb.length > 5) invalid(`cb: expected five numbers at most, got ${cb.length}`)
  checkInteger(repeat, 1, 0x7fffffff, 'repeat')
  const context = Buffer.alloc(CONTEXT)
  context.writeUInt32LE(checkInteger(mark, 0, 0xffffffff, 'mark'), MARK)
  for (const [at, word] of cb.entries())
    context.writeUInt32LE(checkInteger(word, 0, 0xffffffff, `cb[${at}]`), CB + 4 * at)
  const [out, after] = [Buffer.alloc(packet.length + ROOM), Buffer.alloc(CONTEXT)]
  const members: Member[] = [
    [0, program.fd],
    [8, packet.length],
    [12, out.length],
    [16, Buffer.from(packet)],
    [24, out],
    [32, repeat],
    [40, CONTEXT],
    [44, CONTEXT],
    [48, context],
    [56, after],
  ]
  const { attr } = call(kernel, {
    ...{ command: PROG_TEST_RUN, size: 80, members, needs: FOR_PROGRAMS, what: `Run ${program.what} on a packet` },
    means: { ENOTSUPP: ['NOT_SUPPORTED', 'the kernel cannot'] },
  })
  const returned = attr.readInt32LE(4)
  return {
    returned,
    action: ACTIONS[returned] ?? 'other',
    packet: Uint8Array.from(out.subarray(0, attr.readUInt32LE(12))),
    mark: after.readUInt32LE(MARK),
    cb: [0, 1, 2, 3, 4].map((at) => after.readUInt32LE(CB + 4 * at)),
    nanoseconds: attr.readUInt32LE(36),
  }
}

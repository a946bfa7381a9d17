import { call, type Member, PROG_TEST_RUN } from './call.ts'
import { FOR_PROGRAMS } from './capabilities.ts'
import { checkInteger, invalid } from './errors.ts'
import type { Kernel } from './kernel.ts'
import type { KernelObject } from './object.ts'
import type { Program } from './types.ts'

type Result = ReturnType<Program['testRun']>

const ACTIONS: Readonly<Record<number, Result['action']>> = {
  [-1]: 'unspec',
  0: 'ok',
  1: 'reclassify',
  2: 'shot',
  3: 'pipe',
  4: 'stolen',
  7: 'redirect',
}

// Size of `__sk_buff` in a test run. The kernel refuses a too short struct.
const CONTEXT = 256
const MARK = 8
const CB = 48
/** Additional bytes for the packet that the program returns, because a program may make the packet longer. */
const ROOM = 512

export function testRun(kernel: Kernel, program: KernelObject, input: Parameters<Program['testRun']>[0]): Result {
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
    means: { ENOTSUPP: ['NOT_SUPPORTED', 'the kernel cannot run programs on packets'] },
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

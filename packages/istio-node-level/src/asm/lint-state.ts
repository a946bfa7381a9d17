import type { Register } from './instruction.ts'

/** Known content of a register on one path. `lost`: a call or a release invalidated it. */
export type Known =
  | { readonly kind: 'nothing'; readonly lost: boolean }
  | { readonly kind: 'number'; readonly value?: number | undefined }
  | { readonly kind: 'context' }
  | { readonly kind: 'map'; readonly map: string }
  | { readonly kind: 'frame'; readonly offset: number }
  | Found

/** Pointer that a map or socket lookup returned. `from` is the position of the lookup. */
export type Found =
  | {
      readonly kind: 'value'
      readonly map: string
      readonly offset: number
      readonly from: number
      readonly tested: boolean
    }
  | { readonly kind: 'socket'; readonly from: number; readonly tested: boolean }

/** Registers, stack and open sockets on one path through an eBPF program. Immutable. */
export interface PathState {
  readonly registers: Readonly<Record<Register, Known>>
  /** Stack of the eBPF program, one character a byte, lowest address first. `x` marks a written byte. */
  readonly stack: string
  /** Positions of the socket lookups whose sockets the eBPF program still has to release. */
  readonly sockets: readonly number[]
}

/** Size of an eBPF program's stack in bytes. */
export const STACK_BYTES = 512

const nothing: Known = { kind: 'nothing', lost: false }

/** State of registers and stack at the start of an eBPF program. */
export const atStart: PathState = {
  registers: {
    r0: nothing,
    r1: { kind: 'context' },
    r2: nothing,
    r3: nothing,
    r4: nothing,
    r5: nothing,
    r6: nothing,
    r7: nothing,
    r8: nothing,
    r9: nothing,
    r10: { kind: 'frame', offset: 0 },
  },
  stack: '.'.repeat(STACK_BYTES),
  sockets: [],
}

/** Copies the simulated state of an eBPF program, with new content of one register. */
export const withRegister = (state: PathState, register: Register, known: Known): PathState => ({
  ...state,
  registers: { ...state.registers, [register]: known },
})

/** Copies the simulated state of an eBPF program, with some bytes of the stack marked as written. */
export function withStack(state: PathState, offset: number, length: number): PathState {
  const at = STACK_BYTES + offset
  return { ...state, stack: state.stack.slice(0, at) + 'x'.repeat(length) + state.stack.slice(at + length) }
}

/** True if the eBPF program has written `length` bytes of its stack, starting at `offset`. */
export const isWritten = ({ stack }: PathState, offset: number, length: number): boolean =>
  !stack.slice(STACK_BYTES + offset, STACK_BYTES + offset + length).includes('.')

/** Returns the simulated state after an eBPF program has compared a lookup result with null. */
export function tested(state: PathState, from: number, isNull: boolean): PathState {
  const next = (known: Known): Known => {
    if (!('from' in known) || known.from !== from) return known
    return isNull ? { kind: 'number', value: 0 } : { ...known, tested: true }
  }
  return {
    ...mapped(state, next),
    sockets: isNull ? state.sockets.filter((each) => each !== from) : state.sockets,
  }
}

/**
 * Returns the simulated state after an eBPF program has released a socket. Registers with this socket become
 * unreadable.
 */
export function released(state: PathState, from: number): PathState {
  const next = (known: Known): Known =>
    'from' in known && known.from === from ? { kind: 'nothing', lost: true } : known
  return { ...mapped(state, next), sockets: state.sockets.filter((each) => each !== from) }
}

/** Returns the simulated state after an eBPF helper call. The call overwrites the argument registers `r1` to `r5`. */
export function called(state: PathState, result: Known): PathState {
  const lost: Known = { kind: 'nothing', lost: true }
  return {
    ...state,
    registers: { ...state.registers, r0: result, r1: lost, r2: lost, r3: lost, r4: lost, r5: lost },
  }
}

// internal

const registerNames: readonly Register[] = ['r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8', 'r9', 'r10']

function mapped(state: PathState, next: (known: Known) => Known): PathState {
  const registers = { ...state.registers }
  for (const name of registerNames) registers[name] = next(registers[name])
  return { ...state, registers }
}

import type { Register } from './instruction.ts'

/** Content of a register on one path. `lost` is true if a call has overwritten it. */
export type Known =
  | { readonly kind: 'nothing'; readonly lost: boolean }
  | { readonly kind: 'number'; readonly value?: number | undefined }
  | { readonly kind: 'context' }
  | { readonly kind: 'map'; readonly map: string }
  | { readonly kind: 'frame'; readonly offset: number }
  | Found

/** Result of a lookup. It may be null until it is tested. `from` is the line of the call. */
export type Found =
  | {
      readonly kind: 'value'
      readonly map: string
      readonly offset: number
      readonly from: number
      readonly tested: boolean
    }
  | { readonly kind: 'socket'; readonly from: number; readonly tested: boolean }

/** State of one path. Immutable. */
export interface PathState {
  readonly registers: Readonly<Record<Register, Known>>
  /** Written bytes of the stack: `x` for a written byte, `.` for any other, the lowest address first. */
  readonly stack: string
  /** Sockets to release, by the lines of the calls that found them. */
  readonly sockets: readonly number[]
}

/** Size of the stack, in bytes. */
export const STACK_BYTES = 512

const nothing: Known = { kind: 'nothing', lost: false }

/** State at the start of a program. */
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

/** State with another value in a register. */
export const withRegister = (state: PathState, register: Register, known: Known): PathState => ({
  ...state,
  registers: { ...state.registers, [register]: known },
})

/** State with bytes of the stack written. */
export function withStack(state: PathState, offset: number, length: number): PathState {
  const at = STACK_BYTES + offset
  return { ...state, stack: state.stack.slice(0, at) + 'x'.repeat(length) + state.stack.slice(at + length) }
}

/** True if these bytes of the stack are written. */
export const isWritten = ({ stack }: PathState, offset: number, length: number): boolean =>
  !stack.slice(STACK_BYTES + offset, STACK_BYTES + offset + length).includes('.')

/** State after the result of a call was compared with null, for all registers that hold it. */
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

/** State after a socket was released: no register holds it any more. */
export function released(state: PathState, from: number): PathState {
  const next = (known: Known): Known =>
    'from' in known && known.from === from ? { kind: 'nothing', lost: true } : known
  return { ...mapped(state, next), sockets: state.sockets.filter((each) => each !== from) }
}

/** State after a call, which overwrites the registers of its arguments. */
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

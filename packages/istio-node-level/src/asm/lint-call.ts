import { type Argument, type Helper, helpers } from './helpers.ts'
import type { Register } from './instruction.ts'
import { fail, type Line } from './lines.ts'
import { called, isWritten, type Known, type PathState, released, STACK_BYTES, withStack } from './lint-state.ts'
import type { ProgramText } from './program-text.ts'

/** Simulates an eBPF helper call, and returns the state of registers and stack. */
export function afterCall(
  { name, maps }: ProgramText,
  line: Line,
  at: number,
  before: PathState,
  read: (register: Register) => Known,
): PathState {
  if (line.operation.kind !== 'call') return before
  const helper: Helper = helpers[line.operation.helper]
  let state = before
  let map: string | undefined
  let held: number | undefined

  const lengthIn = (register: Register): number => {
    const known = read(register)
    if (known.kind === 'number' && known.value !== undefined) return known.value
    return fail(name, line, 'TYPE', `${register} must be a known length`)
  }
  const memory = (register: Register, length: number, writes: boolean): void => {
    const known = read(register)
    if ('from' in known && !known.tested) fail(name, line, 'UNTESTED', `${register} may be null`)
    if (known.kind === 'value') {
      const size = maps[known.map]?.valueSize ?? 0
      if (known.offset < 0 || known.offset + length > size)
        fail(name, line, 'RANGE', `values of map ${known.map} have ${size} bytes`)
    } else if (known.kind === 'frame') {
      if (known.offset < -STACK_BYTES || known.offset + length > 0)
        fail(name, line, 'RANGE', `${length} bytes at ${register} are outside of the stack`)
      if (writes) state = withStack(state, known.offset, length)
      else if (!isWritten(state, known.offset, length))
        fail(name, line, 'UNSET', `not all of the ${length} bytes at ${register} were written on some path`)
    } else fail(name, line, 'TYPE', `${register} is not memory: ${known.kind}`)
  }
  const check = (register: Register, argument: Argument): void => {
    const known = read(register)
    if (typeof argument === 'object') {
      const writes = 'out' in argument
      memory(register, lengthIn(writes ? argument.out : argument.in), writes)
    } else if (argument === 'key') memory(register, maps[map ?? '']?.keySize ?? 0, false)
    else if (known.kind !== argument) fail(name, line, 'TYPE', `${register} is ${known.kind}, not ${argument}`)
    if (known.kind === 'map') map = known.map
    if (known.kind !== 'socket') return
    if (!known.tested) fail(name, line, 'UNTESTED', `${register} may be null`)
    held = known.from
  }
  for (const [index, argument] of helper.takes.entries()) {
    const register = ARGUMENTS[index]
    if (register !== undefined) check(register, argument)
  }

  if (helper.releases === true && held !== undefined) state = released(state, held)
  if (helper.returns === 'number') return called(state, { kind: 'number' })
  if (helper.returns === 'socket') {
    const found = called(state, { kind: 'socket', from: at, tested: false })
    return { ...found, sockets: [...found.sockets, at] }
  }
  return called(state, { kind: 'value', map: map ?? '', offset: 0, from: at, tested: false })
}

// internal

const ARGUMENTS: readonly Register[] = ['r1', 'r2', 'r3', 'r4', 'r5']

import { fail, type Line } from './lines.ts'
import { atStart, type PathState, tested } from './lint-state.ts'
import { after, read } from './lint-step.ts'
import { ProgramError } from './program-error.ts'
import type { ProgramText } from './program-text.ts'

/** Checks every path of an eBPF program by the rules of old kernels' verifiers. */
export function lint(program: ProgramText, lines: readonly Line[]): void {
  const { name, maps } = program
  const seen = new Set<string>()
  const visited = new Set<number>()
  const open: { readonly at: number; readonly state: PathState }[] = [{ at: 0, state: atStart }]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const { at, state } = path
    const line = lines[at]
    if (line === undefined) throw new ProgramError('RANGE', `Program ${name} does not end with "exit"`)
    const key = `${at} ${JSON.stringify(state)}`
    if (seen.has(key)) continue
    seen.add(key)
    visited.add(at)
    for (const next of steps(program, lines, at, state)) open.push(next)
  }
  for (const [at, line] of lines.entries()) {
    if (!visited.has(at)) fail(name, line, 'UNREACHABLE', `${line.under ?? 'it'} is never reached`)
  }
  const used = new Set(lines.flatMap(({ operation }) => (operation.kind === 'map' ? [operation.map] : [])))
  for (const map of Object.keys(maps)) {
    if (!used.has(map)) throw new ProgramError('MAP', `Program ${name} declares map ${map}, but does not use it`)
  }
}

// internal

/** Lists the possible next instructions of an eBPF program, each with the simulated state before it. */
function steps(
  program: ProgramText,
  lines: readonly Line[],
  at: number,
  state: PathState,
): { at: number; state: PathState }[] {
  const { name } = program
  const line = lines[at]
  if (line === undefined) return []
  const { operation, target } = line
  if (target !== undefined && target <= at)
    fail(name, line, 'BACKWARD', 'it jumps backward, which kernels before 5.3 refuse')
  switch (operation.kind) {
    case 'exit': {
      const [socket] = state.sockets
      const held = socket === undefined ? undefined : lines[socket]
      if (held !== undefined)
        fail(name, held, 'SOCKET', `its socket is not released on the path that ends under ${line.under ?? 'no label'}`)
      const result = read(name, line, state, 'r0')
      if (result.kind !== 'number') fail(name, line, 'TYPE', 'r0 is not a number')
      return []
    }
    case 'goto':
      return target === undefined ? [] : [{ at: target, state }]
    case 'jump': {
      const { left, comparison, right } = operation
      const known = read(name, line, state, left)
      if (typeof right !== 'number') read(name, line, state, right)
      const jumped = target ?? at
      if (!('from' in known)) {
        return [
          { at: at + 1, state },
          { at: jumped, state },
        ]
      }
      if (right !== 0 || (comparison !== 'eq' && comparison !== 'ne'))
        fail(name, line, 'TYPE', `${left} can only be compared with 0`)
      return [
        { at: at + 1, state: tested(state, known.from, comparison === 'ne') },
        { at: jumped, state: tested(state, known.from, comparison === 'eq') },
      ]
    }
    default:
      return [{ at: at + 1, state: after(program, line, at, state) }]
  }
}

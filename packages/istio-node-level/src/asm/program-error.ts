const brand = Symbol.for('cni.EbpfProgramError')

/**
 * - `LABEL`: none of that name, or two
 * - `UNREACHABLE`: no path leads to it
 * - `BACKWARD`: a jump to before; kernels before 5.3 refuse every one
 * - `RANGE`: a number, an offset or a jump does not fit
 * - `SOCKET`: one is not given back on some path
 * - `UNSET`: a register or a part of the stack is read on some path, and nothing is there
 * - `UNTESTED`: used before it was compared with null
 * - `TYPE`: a register is something else than the instruction takes
 * - `MAP`: the program names no such map, or names one that it does not use
 */
export type ProgramErrorCode =
  | 'LABEL'
  | 'UNREACHABLE'
  | 'BACKWARD'
  | 'RANGE'
  | 'SOCKET'
  | 'UNSET'
  | 'UNTESTED'
  | 'TYPE'
  | 'MAP'

/** What is wrong with a program, and where, before any kernel has seen it. */
export class ProgramError extends Error {
  readonly [brand] = true
  readonly code: ProgramErrorCode

  constructor(code: ProgramErrorCode, message: string) {
    super(message)
    this.code = code
  }

  static {
    ProgramError.prototype.name = 'ProgramError'
  }
}

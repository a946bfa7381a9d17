const brand = Symbol.for('cni.EbpfProgramError')

/**
 * Code of a {@link ProgramError}.
 * - `LABEL`: missing or duplicate label
 * - `UNREACHABLE`: no path reaches the instruction
 * - `BACKWARD`: a backward jump, which kernels before 5.3 refuse
 * - `RANGE`: a number, an offset or a jump does not fit
 * - `SOCKET`: a socket is not released on some path
 * - `UNSET`: a register or a part of the stack is read before it is written
 * - `UNTESTED`: a pointer is used before it was compared with null
 * - `TYPE`: a register has the wrong type for the instruction
 * - `MAP`: a map that is not declared, or not used
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

/** Error that this package finds in an eBPF program before the kernel loads it. */
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

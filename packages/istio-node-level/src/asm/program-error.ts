const brand = Symbol.for('cni.EbpfProgramError')

/** Code of a {@link ProgramError}, whose message explains the fault. */
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

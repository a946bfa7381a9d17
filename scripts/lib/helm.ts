import { findExecutable } from '../../packages/host/src/find-executable.ts'

/** Path of helm from PATH or the folder `CNI_PEERS`, if it exists. */
export const findHelm = ({ PATH, CNI_PEERS }: NodeJS.ProcessEnv = process.env): string | undefined =>
  findExecutable('helm', [PATH, CNI_PEERS].filter(Boolean).join(':'))

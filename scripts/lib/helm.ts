import { findExecutable } from '../../packages/host/src/find-executable.ts'

/** Helm on the PATH, or in the folder of `CNI_PEERS`, if it is there. */
export const findHelm = ({ PATH, CNI_PEERS }: NodeJS.ProcessEnv = process.env): string | undefined =>
  findExecutable('helm', [PATH, CNI_PEERS].filter(Boolean).join(':'))

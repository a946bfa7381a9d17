import { findExecutable } from '../../packages/host/src/find-executable.ts'

/** Path of the program helm, from PATH or the folder `CNI_PEERS`. `undefined` if helm is not installed. */
export const findHelm = ({ PATH, CNI_PEERS }: NodeJS.ProcessEnv = process.env): string | undefined =>
  findExecutable('helm', [PATH, CNI_PEERS].filter(Boolean).join(':'))

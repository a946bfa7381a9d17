import { inFolder } from '../../in-folder.ts'

/** File in the run directory that stores the choice of the back end until the node reboots. */
export const backendFile = (runDir: string): string => inFolder(runDir, 'ambient-backend.json')

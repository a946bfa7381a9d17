import { inFolder } from '../../in-folder.ts'

/** File in the run directory that stores the chosen iptables variant until the node reboots. */
export const backendFile = (runDir: string): string => inFolder(runDir, 'ambient-backend.json')

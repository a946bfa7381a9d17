import { inFolder } from '../../in-folder.ts'

/** Path of the file in the run directory that stores the chosen iptables variant until the node reboots. */
export const backendFile = (runDir: string): string => inFolder(runDir, 'ambient-backend.json')

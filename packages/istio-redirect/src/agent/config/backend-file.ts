import { inFolder } from '../../in-folder.ts'

/** Returns the path of the file that stores the chosen iptables variant until the node reboots. */
export const backendFile = (runDir: string): string => inFolder(runDir, 'ambient-backend.json')

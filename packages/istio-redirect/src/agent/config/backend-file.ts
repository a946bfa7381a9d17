import { inFolder } from '../../in-folder.ts'

/** Where the choice of a node is remembered, below a run directory: until the node starts again. */
export const backendFile = (runDir: string): string => inFolder(runDir, 'ambient-backend.json')

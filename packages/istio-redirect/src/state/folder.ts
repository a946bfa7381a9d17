import { inFolder } from '../in-folder.ts'

/** Where the records of attachments are, below a run directory. */
export const attachmentsFolder = (runDir: string): string => inFolder(runDir, 'attachments')

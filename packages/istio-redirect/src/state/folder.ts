import { inFolder } from '../in-folder.ts'

/** Returns the path of the folder with the attachment records in a run directory. */
export const attachmentsFolder = (runDir: string): string => inFolder(runDir, 'attachments')

import { inFolder } from '../in-folder.ts'

/** Folder of the attachment records in a run directory. */
export const attachmentsFolder = (runDir: string): string => inFolder(runDir, 'attachments')

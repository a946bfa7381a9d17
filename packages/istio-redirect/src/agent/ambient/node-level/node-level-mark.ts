import { dirname } from 'node:path'
import { inFolder } from '../../../in-folder.ts'
import type { AmbientConfig } from '../../config/ambient-config.ts'

/**
 * Path of the mark file in the run directory. The file exists while node-level redirection is installed on the node.
 */
export const nodeLevelMark = ({ backendFile }: Pick<AmbientConfig, 'backendFile'>): string =>
  inFolder(dirname(backendFile), 'ambient-node-level.json')

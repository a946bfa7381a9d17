import { dirname } from 'node:path'
import { inFolder } from '../../../in-folder.ts'
import type { AmbientConfig } from '../../config/ambient-config.ts'

/** Returns the path of the mark file, which exists while the node has node-level redirection. */
export const nodeLevelMark = ({ backendFile }: Pick<AmbientConfig, 'backendFile'>): string =>
  inFolder(dirname(backendFile), 'ambient-node-level.json')

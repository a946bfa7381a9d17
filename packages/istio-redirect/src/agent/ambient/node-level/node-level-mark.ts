import { dirname } from 'node:path'
import { inFolder } from '../../../in-folder.ts'
import type { AmbientConfig } from '../../config/ambient-config.ts'

/** The file in the run directory that says that traffic is redirected on the node, until nothing of that is left. */
export const nodeLevelMark = ({ backendFile }: Pick<AmbientConfig, 'backendFile'>): string =>
  inFolder(dirname(backendFile), 'ambient-node-level.json')

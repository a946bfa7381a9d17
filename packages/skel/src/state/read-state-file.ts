import { closeSync, constants, readFileSync } from 'node:fs'
import { insecurity, isReadError, openRegularFile } from '@cni/host'
import { errnoOf } from '@cni/types'
import { StateError } from './state-error.ts'
import { MAX_BYTES } from './state-folder.ts'

/** Reads a state file that only root or the process's own user can have written. */
export function readStateFile(path: string): string {
  const { fd, stat } = open(path)
  try {
    const reason = insecurity(stat)
    if (reason !== undefined) throw new StateError('INSECURE', path, `it ${reason}`)
    if (stat.size > MAX_BYTES) {
      throw new StateError('TOO_LARGE', path, `it has ${stat.size} bytes, more than ${MAX_BYTES}`)
    }
    return readFileSync(fd, 'utf8')
  } finally {
    closeSync(fd)
  }
}

function open(path: string): ReturnType<typeof openRegularFile> {
  try {
    return openRegularFile(path, constants.O_NOFOLLOW)
  } catch (cause) {
    if (isReadError(cause)) throw new StateError('NOT_A_FILE', path, cause.message, { cause })
    if (errnoOf(cause) !== 'ELOOP') throw cause
    throw new StateError('NOT_A_FILE', path, 'it is a symbolic link, which is not followed', { cause })
  }
}

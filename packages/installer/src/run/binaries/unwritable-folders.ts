import { dirname } from 'node:path'
import type { Health } from '../../health.ts'
import type { InstallError } from '../../install-error.ts'
import type { StepOutcome } from '../state.ts'

/** Errors of the kernel for a folder that is not writable. */
const UNWRITABLE: readonly unknown[] = ['EROFS', 'EACCES', 'EPERM']

/**
 * Marks unwritable binary folders as `skipped` if another folder has all files. Some platforms have a read-only folder.
 */
export function withoutUnwritable(
  binDirs: readonly string[],
  { health, errors }: Pick<StepOutcome, 'health' | 'errors'>,
): { readonly health: readonly Health[]; readonly errors: readonly InstallError[] } {
  const whole = binDirs.find((folder) => isWhole(health.filter(({ path }) => dirname(path) === folder)))
  const skipped = errors.filter(({ errno }) => UNWRITABLE.includes(errno)).map(({ path }) => dirname(path ?? ''))
  if (whole === undefined || skipped.length === 0) return { health, errors }
  return {
    health: health.map((one) =>
      one.state === 'failed' && skipped.includes(dirname(one.path))
        ? { ...one, state: 'skipped', reason: `${one.reason}; ${whole} has the plugin` }
        : one,
    ),
    errors: errors.filter(({ path, errno }) => !UNWRITABLE.includes(errno) || !skipped.includes(dirname(path ?? ''))),
  }
}

const isWhole = (health: readonly Health[]): boolean => health.length > 0 && health.every(({ state }) => state === 'ok')

import { CniError, ErrorCode, gte } from '@cni/types'

/** The first version of the specification that has the verb. */
const INTRODUCED: Readonly<Record<string, string>> = { CHECK: '0.4.0', GC: '1.1.0', STATUS: '1.1.0' }

/**
 * Whether a plugin may serve a verb for a configuration. Versions match as texts: `1.1` is not `1.1.0`.
 *
 * @throws {@link CniError} 1 when they do not fit together, 6 when a version that has to be compared is none.
 */
export function reconcileVersion(command: string, version: string, supported: readonly string[]): void {
  const introduced = INTRODUCED[command]
  if (introduced !== undefined) {
    if (!gte(version, introduced)) throw notAllowed('config', command)
    // Entries after the first one that is new enough are not read, valid or not, as in the reference implementation.
    if (!supported.some((candidate) => gte(candidate, version))) throw notAllowed('plugin', command)
  }
  if (supported.includes(version)) return
  const list = supported.map((candidate) => JSON.stringify(candidate)).join(' ')
  throw new CniError(ErrorCode.incompatibleVersion, 'incompatible CNI versions', {
    details: `config is ${JSON.stringify(version)}, plugin supports [${list}]`,
  })
}

function notAllowed(side: 'config' | 'plugin', command: string): CniError {
  return new CniError(ErrorCode.incompatibleVersion, `${side} version does not allow ${command}`)
}

import { CniError, ErrorCode, gte } from '@cni/types'

/** First version of the CNI specification that defines each verb. */
const INTRODUCED: Readonly<Record<string, string>> = { CHECK: '0.4.0', GC: '1.1.0', STATUS: '1.1.0' }

/** Checks that a plugin can perform a verb in exactly the configuration's CNI version. */
export function reconcileVersion(command: string, version: string, supported: readonly string[]): void {
  const introduced = INTRODUCED[command]
  if (introduced !== undefined) {
    if (!gte(version, introduced)) throw notAllowed('config', command)
    // Ignores supported versions after the first match, as the Go implementation does.
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

import { CNI_VERSIONS, CniError, ErrorCode, netConfVersion, type UncheckedNetConf } from '@cni/types'
import { type Environment, type EnvVars, readEnvironment } from '../protocol/environment.ts'
import { decodeNetworkConfig } from '../protocol/network-config.ts'
import { passedOn } from '../protocol/passed-on.ts'
import { reconcileVersion } from '../protocol/reconcile.ts'

/** An ADD as its plugin has received it. */
export interface ReceivedAdd {
  /** The environment of the call. */
  readonly env: EnvVars
  /** Stdin of the call. */
  readonly stdin: Uint8Array
  /** Those that the plugin supports; all when not said. */
  readonly versions?: readonly string[]
}

/** An ADD whose environment, configuration and version its plugin would have accepted. */
export interface AcceptedAdd {
  /** The CNI variables of the call, read and validated. */
  readonly environment: Environment
  /** The configuration, as JSON has it. */
  readonly document: UncheckedNetConf
  /** The configuration's. */
  readonly version: string
  /**
   * What a plugin prints that changes nothing: the result of the plugins before, as it came where it is in the right
   * version, or an empty one.
   *
   * @throws `CniError` 999 when it is no result.
   */
  passedOn(): string
}

/**
 * Checks an ADD as `runPlugin` does, and in the same order. The namespace is the plugin's to open.
 *
 * @throws `CniError` what the plugin would fail with.
 */
export function acceptAdd({ env, stdin, versions = CNI_VERSIONS }: ReceivedAdd): AcceptedAdd {
  const environment = readEnvironment(env)
  const config = decodeNetworkConfig(stdin)
  const { command } = environment
  if (command !== 'ADD') throw new CniError(ErrorCode.invalidEnvironment, `CNI_COMMAND is no ADD: ${command}`)
  const version = netConfVersion(config.document)
  reconcileVersion(command, version, versions)
  return { environment, document: config.document, version, passedOn: () => passedOn(config, version) }
}

import type { Verb } from '@cni/types'
import { InvokeError } from './errors.ts'

/** Values of the `CNI_` variables for a plugin call. An omitted member becomes an empty variable. */
export interface PluginCall {
  readonly containerID?: string
  readonly netns?: string
  readonly ifName?: string
  /** Value of `CNI_ARGS`: pairs, or a string that is passed unchanged. */
  readonly args?: string | ReadonlyArray<readonly [string, string]>
  /** Value of `CNI_PATH`: folders in which the called plugin finds its delegates. */
  readonly path: readonly string[]
}

/**
 * Environment of a plugin that a container runtime executes. Sets all six `CNI_` variables, and inherits every other
 * variable.
 *
 * @example
 * ```ts
 * pluginEnv('DEL', { containerID: 'c1', ifName: 'eth0', path: ['/opt/cni/bin'] }).CNI_NETNS // ''
 * ```
 */
export function pluginEnv(
  command: Verb | 'VERSION',
  args: Partial<PluginCall>,
  inherited: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  return {
    ...defined(inherited),
    CNI_COMMAND: command,
    CNI_CONTAINERID: args.containerID ?? '',
    CNI_NETNS: args.netns ?? '',
    CNI_ARGS: cniArgs(command, args.args ?? []),
    CNI_IFNAME: args.ifName ?? '',
    CNI_PATH: (args.path ?? []).join(':'),
  }
}

/**
 * Environment of a plugin that another plugin executes: the variables of the calling plugin, with another
 * `CNI_COMMAND`.
 */
export function delegateEnv(
  command: Verb | 'VERSION',
  inherited: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  return { ...defined(inherited), CNI_COMMAND: command }
}

/** Splits `CNI_PATH` into folders. Drops empty elements, because they must not count as the working directory. */
export function splitCniPath(path: string | undefined): string[] {
  return (path ?? '').split(':').filter((folder) => folder !== '')
}

/**
 * Formats `CNI_ARGS` from pairs: `A=1;B=2`.
 *
 * @throws {@link InvokeError} `INVALID_ARGS` for an empty key, for `=` in a key, and for `;` or a NUL character in a
 * pair.
 */
export function formatCniArgs(pairs: ReadonlyArray<readonly [string, string]>): string {
  for (const [key, value] of pairs) {
    if (key !== '' && !/[;=\0]/.test(key) && !/[;\0]/.test(value)) continue
    throw new InvokeError('INVALID_ARGS', '', `invalid CNI_ARGS pair ${JSON.stringify([key, value])}`, {
      hint: 'a key must not be empty or contain "=" or ";", a value must not contain ";"',
    })
  }
  return joined(pairs)
}

/** Formats `CNI_ARGS`. DEL accepts invalid pairs, because another runtime may have used them. */
function cniArgs(command: Verb | 'VERSION', args: NonNullable<PluginCall['args']>): string {
  if (typeof args === 'string') return args
  return command === 'DEL' ? joined(args) : formatCniArgs(args)
}

function joined(pairs: ReadonlyArray<readonly [string, string]>): string {
  return pairs.map(([key, value]) => `${key}=${value}`).join(';')
}

function defined(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return Object.fromEntries(entries)
}

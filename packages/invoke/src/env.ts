import type { Verb } from '@cni/types'
import { InvokeError } from './errors.ts'

/** Attachment of a call, and the folders of plugins. An omitted member is the empty text in the environment. */
export interface PluginCall {
  readonly containerID?: string
  readonly netns?: string
  readonly ifName?: string
  /** `CNI_ARGS`: pairs, or a text that is passed on as it is. */
  readonly args?: string | ReadonlyArray<readonly [string, string]>
  /** `CNI_PATH`: the folders in which plugins look for the plugins they delegate to. */
  readonly path: readonly string[]
}

/**
 * The environment of a plugin executed by a runtime: everything inherited, and all six `CNI_` variables set, so that
 * none of them comes from outside.
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

/** The environment of a plugin executed by another plugin: that plugin's own, with only the verb replaced. */
export function delegateEnv(
  command: Verb | 'VERSION',
  inherited: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  return { ...defined(inherited), CNI_COMMAND: command }
}

/** The folders of a `CNI_PATH`; empty elements do not mean the working directory, they are dropped. */
export function splitCniPath(path: string | undefined): string[] {
  return (path ?? '').split(':').filter((folder) => folder !== '')
}

/**
 * `CNI_ARGS` from pairs: `A=1;B=2`.
 *
 * @throws {@link InvokeError} `INVALID_ARGS` for a pair that would read as another pair, or as several.
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

/** DEL gets what ADD got, whoever's runtime that was: a pair that should not have been is no reason to keep it all. */
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

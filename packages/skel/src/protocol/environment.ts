import { assertContainerID, assertIfName, CniError, ErrorCode } from '@cni/types'

/** Environment of one CNI call. Members for unset `CNI_` variables are empty texts. */
export interface Environment {
  readonly command: string
  readonly containerID: string
  readonly netns: string
  readonly ifName: string
  readonly args: string
  readonly path: readonly string[]
  readonly netnsOverride: boolean
  /** All environment variables of the process, not only the `CNI_` variables. */
  readonly variables: EnvVars
}

/** Environment variables of a process. */
export type EnvVars = Readonly<Record<string, string | undefined>>

interface Variable {
  readonly name: string
  readonly requiredBy: readonly string[]
  readonly validate?: (value: string) => void
}

// `CNI_` variables in the Go implementation's order, which decides which error is reported.
const VARIABLES: readonly Variable[] = [
  { name: 'CNI_CONTAINERID', requiredBy: ['ADD', 'CHECK', 'DEL'], validate: assertContainerID },
  { name: 'CNI_NETNS', requiredBy: ['ADD', 'CHECK'] },
  { name: 'CNI_IFNAME', requiredBy: ['ADD', 'CHECK', 'DEL'], validate: assertIfName },
  { name: 'CNI_PATH', requiredBy: ['ADD', 'CHECK', 'DEL', 'GC', 'STATUS'] },
]

/** Reads the variables of the CNI protocol. Validates only variables that the verb requires. */
export function readEnvironment(env: EnvVars): Environment {
  const command = env.CNI_COMMAND ?? ''
  const missing = command === '' ? ['CNI_COMMAND'] : []
  for (const { name, requiredBy, validate } of VARIABLES) {
    if (!requiredBy.includes(command)) continue
    const value = env[name]
    if (value) validate?.(value)
    else missing.push(name)
  }
  if (missing.length > 0) {
    throw new CniError(ErrorCode.invalidEnvironment, `required env variables [${missing.join(',')}] missing`)
  }
  return {
    command,
    containerID: env.CNI_CONTAINERID ?? '',
    netns: env.CNI_NETNS ?? '',
    ifName: env.CNI_IFNAME ?? '',
    args: env.CNI_ARGS ?? '',
    // Drops empty elements of `CNI_PATH`: an empty element would mean the container runtime's working directory.
    path: (env.CNI_PATH ?? '').split(':').filter(Boolean),
    netnsOverride: /^(?:1|true)$/i.test(env.CNI_NETNS_OVERRIDE ?? ''),
    variables: env,
  }
}

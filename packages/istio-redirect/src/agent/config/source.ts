import { type FSWatcher, readFileSync, watch } from 'node:fs'
import { type AgentConfig, agentConfig } from './agent-config.ts'
import { readConfigDir } from './config-dir.ts'
import { resolveValues } from './resolve.ts'
import { runtimeOfContainer } from './runtime-of-container.ts'
import { type Values, variables } from './variables.ts'

/** Where the configuration comes from. */
export interface ConfigSource {
  readonly flags: Readonly<Record<string, unknown>>
  readonly configDir: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * The configuration as it is now: flags, then the folder, then the environment, then the defaults.
 *
 * @throws {@link ConfigError} for one that cannot be used.
 */
export function loadConfig({ flags, configDir, env }: ConfigSource): AgentConfig {
  const layers = configDir === undefined ? [env] : [readConfigDir(configDir), env]
  return withRuntime(agentConfig(resolveValues(flags, layers)))
}

/** An agent in a container, which sees the node below `/host`, was started by the runtime of the node. */
function withRuntime(config: AgentConfig): AgentConfig {
  const { install } = config
  if (install.runtime !== undefined || !install.netDir.startsWith('/host/')) return config
  const runtime = runtimeOfContainer(readFileSync('/proc/self/mountinfo', 'utf8'))
  return { ...config, install: { ...install, runtime } }
}

/** The variables in which two configurations differ. */
export function changedVariables(a: Values, b: Values): string[] {
  const keys = Object.keys(variables) as (keyof Values)[]
  return keys.filter((key) => a[key] !== b[key]).map((key) => variables[key].env[0] ?? key)
}

/** How long a folder must be quiet, and how often it is looked at when it tells nothing. */
const QUIET_MS = 50
const LOOK_MS = 10_000

/** Calls `changed` when something happened in a folder, and now and then without a reason; until the signal. */
export function watchConfigDir(
  folder: string,
  changed: () => void,
  { signal }: { readonly signal: AbortSignal },
): void {
  let quiet: NodeJS.Timeout | undefined
  let watcher: FSWatcher | undefined
  const arm = (): void => {
    watcher?.close()
    watcher = undefined
    try {
      watcher = watch(folder, () => {
        clearTimeout(quiet)
        quiet = setTimeout(changed, QUIET_MS)
      })
      watcher.on('error', () => {})
    } catch {
      // not there now: the clock looks again
    }
  }
  arm()
  const clock = setInterval(() => {
    arm()
    changed()
  }, LOOK_MS)
  signal.addEventListener('abort', () => {
    clearInterval(clock)
    clearTimeout(quiet)
    watcher?.close()
  })
}

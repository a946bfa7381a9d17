import { type FSWatcher, readFileSync, watch } from 'node:fs'
import { type AgentConfig, agentConfig } from './agent-config.ts'
import { readConfigDir } from './config-dir.ts'
import { resolveValues } from './resolve.ts'
import { runtimeOfContainer } from './runtime-of-container.ts'
import { type Values, variables } from './variables.ts'

/** Sources from which the agent reads its settings. */
export interface ConfigSource {
  readonly flags: Readonly<Record<string, unknown>>
  readonly configDir: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Loads the agent's configuration from flags, the configuration folder, the environment and defaults.
 *
 * @throws {@link ConfigError} if the configuration is invalid.
 */
export function loadConfig({ flags, configDir, env }: ConfigSource): AgentConfig {
  const layers = configDir === undefined ? [env] : [readConfigDir(configDir), env]
  return withRuntime(agentConfig(resolveValues(flags, layers)))
}

/** Adds the node's container runtime to the configuration: the runtime that started the agent's container. */
function withRuntime(config: AgentConfig): AgentConfig {
  const { install } = config
  if (install.runtime !== undefined || !install.netDir.startsWith('/host/')) return config
  const runtime = runtimeOfContainer(readFileSync('/proc/self/mountinfo', 'utf8'))
  return { ...config, install: { ...install, runtime } }
}

/** Lists the environment variables whose settings differ between two configurations. */
export function changedVariables(a: Values, b: Values): string[] {
  const keys = Object.keys(variables) as (keyof Values)[]
  return keys.filter((key) => a[key] !== b[key]).map((key) => variables[key].env[0] ?? key)
}

/** Pause in milliseconds between the last change of the configuration folder and the reload. */
const QUIET_MS = 50
const CHECK_INTERVAL_MS = 10_000

/** Calls `changed` after a change in the configuration folder, and every ten seconds, until the signal aborts. */
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
      // The configuration folder is missing now. The timer tries again to watch the folder.
    }
  }
  arm()
  const clock = setInterval(() => {
    arm()
    changed()
  }, CHECK_INTERVAL_MS)
  signal.addEventListener('abort', () => {
    clearInterval(clock)
    clearTimeout(quiet)
    watcher?.close()
  })
}

import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

/** Input that our plugin received in one call of a container runtime. */
export interface Call {
  readonly verb: string
  readonly netns: string
  readonly hasPrevResult: boolean
}

/** Replaces our plugin by a script, and returns a function that reads the script's calls. */
export function spyOn(binDir: string): () => Call[] {
  const plugin = join(binDir, 'istio-cni')
  const real = join(binDir, 'istio-cni.real')
  const calls = join(binDir, 'calls')
  mkdirSync(calls)
  renameSync(plugin, real)
  // `exec` keeps the process ID, because signals of the container runtime have to reach the plugin.
  const script = `#!/bin/sh
at=${calls}/$(date +%s%N)-$$
mkdir $at && env > $at/env && cat > $at/stdin && exec ${real} < $at/stdin
`
  writeFileSync(plugin, script, { mode: 0o755 })
  return () =>
    readdirSync(calls)
      .sort()
      .map((name) => {
        const env = parseEnv(readFileSync(join(calls, name, 'env'), 'utf8'))
        const netconf = JSON.parse(readFileSync(join(calls, name, 'stdin'), 'utf8'))
        return {
          verb: env.CNI_COMMAND ?? '',
          netns: env.CNI_NETNS ?? '',
          hasPrevResult: netconf.prevResult !== undefined,
        }
      })
}

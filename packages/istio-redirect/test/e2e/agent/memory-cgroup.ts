import { accessSync, constants, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../stage/agent-node.ts'

const ROOT = '/sys/fs/cgroup/memory'

/** Reason why the test machine cannot set a memory limit; `undefined` if the machine can. */
export const noMemoryLimit = ((): string | undefined => {
  try {
    accessSync(join(ROOT, 'memory.limit_in_bytes'), constants.R_OK)
    const probe = join(ROOT, `cni-probe-${process.pid}`)
    mkdirSync(probe)
    rmdirSync(probe)
    return undefined
  } catch {
    return 'the memory controller of cgroup v1 cannot be used here'
  }
})()

/** Creates a memory cgroup with a limit in MiB, like `resources.limits.memory` of a pod. */
export function memoryLimit(mebibytes: number) {
  const folder = join(ROOT, `cni-test-${process.pid}-${Math.random().toString(36).slice(2)}`)
  mkdirSync(folder)
  writeFileSync(join(folder, 'memory.limit_in_bytes'), String(mebibytes * 1024 * 1024))
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  return {
    /** Returns the command line that runs a program inside the memory cgroup. */
    within: (file: string): readonly [string, ...string[]] => [
      'bash',
      '-c',
      `echo $$ > ${folder}/cgroup.procs; exec "$0" "$@"`,
      file,
    ],
    /** Reads the peak memory in bytes, and the number of processes killed for lack of memory. */
    usage: () => ({
      most: Number(read('memory.max_usage_in_bytes')),
      killed: Number(/^oom_kill (\d+)$/m.exec(read('memory.oom_control'))?.[1] ?? 0),
    }),
    async [Symbol.asyncDispose]() {
      await eventually(() => read('cgroup.procs') === '', 'the processes to end')
      rmdirSync(folder)
    },
  }
}
